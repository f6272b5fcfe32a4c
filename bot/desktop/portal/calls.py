"""Requests to the desktop portals over D-Bus, and notice of the end of a session.

Follows the published interfaces ``org.freedesktop.portal.Request``, ``Session``, ``RemoteDesktop``
and ``ScreenCast``. The only place that uses jeepney.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections import deque
from collections.abc import Mapping
from typing import Any

from jeepney import (
    DBusAddress,
    HeaderFields,
    MatchRule,
    Message,
    MessageType,
    Properties,
    message_bus,
    new_method_call,
)
from jeepney.io.blocking import DBusConnection, open_dbus_connection

from bot.errors import NoDesktop, ScreenGone, StoppedByUser

BUS_NAME = "org.freedesktop.portal.Desktop"
OBJECT = "/org/freedesktop/portal/desktop"
REMOTE = "org.freedesktop.portal.RemoteDesktop"
CAST = "org.freedesktop.portal.ScreenCast"

PORTAL_ANSWER_S = 10.0
"""How long the portal may take to answer a call that asks the user nothing."""

NOTICE_S = 1.0
"""How long to wait for the reason when a call or the stream of pictures fails. At the end of a
session, the stream may end before the portal's notice arrives."""

Options = Mapping[str, tuple[str, Any]]
"""Names with signatures and values: ``a{sv}`` in D-Bus."""

GRANTED, REFUSED = 0, 1

REFUSED_SENTENCE = (
    "The desktop was not allowed to share the screen and the mouse: start again and allow both."
)


class Portal:
    """A connection to the portals of this session. Raises `NoDesktop` if there is no D-Bus."""

    def __init__(self) -> None:
        try:
            self._bus: DBusConnection = open_dbus_connection("SESSION", enable_fds=True)
        except Exception as error:
            reason = f"{error.args[0]} is not set" if isinstance(error, KeyError) else error
            raise NoDesktop(
                f"The session's D-Bus does not answer ({reason}): run this inside your desktop "
                "session."
            ) from error
        self._me = str(self._bus.unique_name)[1:].replace(".", "_")
        self._end_signals: deque[Message] = deque()

    def version(self, interface: str) -> int:
        """Return the version of a portal interface, 0 if it does not exist."""
        return int(self.number(interface, "version"))

    def number(self, interface: str, name: str) -> int:
        """Return a property of an interface that is a number, 0 if it does not exist."""
        address = DBusAddress(OBJECT, BUS_NAME, interface)
        try:
            reply = self._bus.send_and_get_reply(
                Properties(address).get(name), timeout=PORTAL_ANSWER_S
            )
        except TimeoutError:
            return 0
        return 0 if reply.header.message_type is MessageType.error else int(reply.body[0][1])

    def request(
        self,
        interface: str,
        member: str,
        signature: str,
        arguments: tuple[Any, ...],
        options: Options,
        limit_s: float = PORTAL_ANSWER_S,
    ) -> dict[str, tuple[str, Any]]:
        """Make a request that may ask the user, and return the answer.

        Raises `NoDesktop` if the user refuses or does not answer in ``limit_s``, or if it fails.
        """
        token = f"minebot{secrets.token_hex(8)}"
        path = f"{OBJECT}/request/{self._me}/{token}"
        rule = MatchRule(
            type="signal", interface="org.freedesktop.portal.Request", member="Response", path=path
        )
        self._watch(rule)
        with self._bus.filter(rule) as answers:
            self.call(
                interface,
                member,
                f"{signature}a{{sv}}",
                (*arguments, {"handle_token": ("s", token), **options}),
            )
            try:
                answer = self._bus.recv_until_filtered(answers, timeout=limit_s)
            except TimeoutError as error:
                self._withdraw(path)
                raise NoDesktop(
                    f"The question about sharing the screen was not answered in {limit_s:g} s: "
                    "start again and look for its window."
                ) from error
            except (OSError, EOFError) as error:
                raise _session_ended() from error
        code, results = answer.body
        if code == REFUSED:
            raise NoDesktop(REFUSED_SENTENCE)
        if code != GRANTED:
            raise NoDesktop(f"The portal ended {member} with an error: log in again, start anew.")
        return dict(results)

    def call(
        self, interface: str, member: str, signature: str, arguments: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        """Call a method and return its result.

        Raises `NoDesktop` if the portal refuses, `ScreenGone` if it does not answer.
        """
        message = new_method_call(
            DBusAddress(OBJECT, BUS_NAME, interface), member, signature, arguments
        )
        try:
            reply = self._bus.send_and_get_reply(message, timeout=PORTAL_ANSWER_S)
        except TimeoutError as error:
            raise ScreenGone(
                f"The portal has not answered for {PORTAL_ANSWER_S:g} s: "
                "log in again and start anew."
            ) from error
        except (OSError, EOFError) as error:
            raise _session_ended() from error
        if reply.header.message_type is MessageType.error:
            self.check(NOTICE_S)
            name = reply.header.fields.get(HeaderFields.error_name, "an error")
            reason = f"{name}: {reply.body[0]}" if reply.body else name
            raise NoDesktop(f"The portal refuses {member} ({reason}).")
        return tuple(reply.body)

    def watch_session(self, session: str) -> None:
        """From now on, have `check` notice the end of a session and of the portal itself."""
        for rule in (
            MatchRule(
                type="signal",
                interface="org.freedesktop.portal.Session",
                member="Closed",
                path=session,
            ),
            _owner_changed(),
        ):
            self._watch(rule)
            self._bus.filter(rule, queue=self._end_signals)

    def check(self, limit_s: float = 0.0) -> None:
        """Raise `StoppedByUser` if the session was closed, `ScreenGone` if the portal is gone.

        Waits up to ``limit_s`` for a notice of either.
        """
        end = time.monotonic() + limit_s
        try:
            while True:
                left = 0.0 if self._end_signals else max(0.0, end - time.monotonic())
                self._bus.recv_messages(timeout=left)
        except TimeoutError:
            pass
        except (OSError, EOFError) as error:
            raise _session_ended() from error
        for message in self._end_signals:
            if message.header.fields[HeaderFields.member] == "Closed":
                raise StoppedByUser(
                    "Stopped: the desktop ended the sharing of the screen, as when you stop it or "
                    "lock the screen; no click was made after it."
                )
            if not message.body[2]:
                raise ScreenGone("The desktop portal is gone: log in again and start anew.")

    def close_session(self, session: str) -> None:
        """End a session, so that the desktop no longer shows that the screen is shared."""
        address = DBusAddress(session, BUS_NAME, "org.freedesktop.portal.Session")
        # If the bus is gone, so is the session.
        with contextlib.suppress(OSError):
            self._bus.send(new_method_call(address, "Close"))

    def _withdraw(self, path: str) -> None:
        """Close the question that a request asks."""
        self._bus.send(
            new_method_call(DBusAddress(path, BUS_NAME, "org.freedesktop.portal.Request"), "Close")
        )

    def _watch(self, rule: MatchRule) -> None:
        """Ask the bus for the signals of a rule."""
        self._bus.send_and_get_reply(message_bus.AddMatch(rule), timeout=PORTAL_ANSWER_S)

    def close(self) -> None:
        """Disconnect from the bus."""
        self._bus.close()


def _owner_changed() -> MatchRule:
    rule = MatchRule(
        type="signal",
        sender="org.freedesktop.DBus",
        interface="org.freedesktop.DBus",
        member="NameOwnerChanged",
        path="/org/freedesktop/DBus",
    )
    rule.add_arg_condition(0, BUS_NAME)
    return rule


def _session_ended() -> ScreenGone:
    return ScreenGone("The desktop session has ended: log in again and start anew.")


def why_no_portal() -> str | None:
    """Say why the portals of this session cannot be used; None if they may work."""
    try:
        portal = Portal()
    except NoDesktop as error:
        return str(error)
    lacking = [name.rpartition(".")[2] for name in (REMOTE, CAST) if portal.version(name) == 0]
    portal.close()
    if not lacking:
        return None
    return (
        f"No desktop portal offers {' and '.join(lacking)}: install xdg-desktop-portal and the "
        "backend of your desktop (xdg-desktop-portal-gnome or xdg-desktop-portal-kde), then log in "
        "again."
    )
