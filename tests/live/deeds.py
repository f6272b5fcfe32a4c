"""What a person does to a desk, or its mouse and monitors do; undone at the end of the block."""

from contextlib import closing, contextmanager

from Xlib import X, Xatom

from bot.desktop.x11_overlay import INPUT, set_shape
from tests.live.desk import HEIGHT, WIDTH
from tests.live.ledger import connect

Box = tuple[int, int, int, int]  # left, top, width and height in pixels of the screen
WHOLE: Box = (0, 0, WIDTH, HEIGHT)


def create_window(display, box, *, colour=0xD0D0D0, unseen=False, managed=False, mask=0):
    """Make a window that notices presses; the window manager does not see an unmanaged one."""
    screen, mask = display.screen(), mask | X.ButtonPressMask
    kind, depth, looks = X.InputOutput, screen.root_depth, {"background_pixel": colour}
    if unseen:
        kind, depth, looks = X.InputOnly, 0, {}
    looks |= {"override_redirect": not managed, "event_mask": mask}
    return screen.root.create_window(*box, 0, depth, kind, X.CopyFromParent, **looks)


@contextmanager
def window_on(desk, box, *, colour=0xD0D0D0, opacity=1.0, input_only=False):
    """Put a plain window over a box, above all others; clicks go through one that is not opaque."""
    with closing(connect(desk.env["DISPLAY"])) as display:
        window = create_window(display, box, colour=colour, unseen=input_only)
        if opacity < 1:
            share = display.intern_atom("_NET_WM_WINDOW_OPACITY")
            window.change_property(share, Xatom.CARDINAL, 32, [int(opacity * 0xFFFFFFFF)])
            set_shape(window, INPUT, [])
        window.map()
        display.sync()
        yield
        window.destroy()
        display.sync()


@contextmanager
def swapped_buttons(desk):
    """Swap the buttons of the mouse, as the settings for left-handed people do."""
    with closing(connect(desk.env["DISPLAY"])) as display:
        usual = list(display.get_pointer_mapping())
        display.set_pointer_mapping([3, 2, 1, *usual[3:]])
        display.sync()
        yield
        display.set_pointer_mapping(usual)
        display.sync()


@contextmanager
def two_monitors(desk, left_width):
    """Let the screen be that of two monitors side by side; the right one is the primary one."""
    right = WIDTH - left_width
    for name, width, left, output in (
        ("left", left_width, 0, "screen"),
        ("*right", right, left_width, "none"),
    ):
        place = f"{width}/{width // 4}x{HEIGHT}/{HEIGHT // 4}+{left}+0"
        desk.run(["xrandr", "--setmonitor", name, place, output])
    assert "Monitors: 2" in desk.says("xrandr", "--listmonitors")
    yield
    for name in ("left", "right"):
        desk.run(["xrandr", "--delmonitor", name])


@contextmanager
def unplugged(desk, width_left):
    """Let only the left part of the screen be there, as if the right monitor were unplugged."""
    desk.run(["xrandr", "--fb", f"{width_left}x{HEIGHT}", "--output", "screen", "--off"])
    assert f"current {width_left} x {HEIGHT}" in desk.says("xrandr")
    yield
    whole = f"{WIDTH}x{HEIGHT}"
    desk.run(["xrandr", "--fb", whole, "--output", "screen", "--mode", whole])
