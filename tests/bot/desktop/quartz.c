/* What Quartz, Core Foundation and Accessibility of macOS answer, as their documentation says: objects
 * are pointers wider than an int, strings are equal by their characters, what a function named Create
 * or Copy gives is counted until CFRelease. `show` puts a window behind those that are there. */

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct { double left, top, width, height; } Rect;
typedef struct { int64_t number, program, layer; Rect bounds; } Window;
typedef struct { int64_t value; } Number;
typedef struct { char letters[40]; } String;

const char *kCGWindowNumber = "kCGWindowNumber", *kCGWindowOwnerPID = "kCGWindowOwnerPID";
const char *kCGWindowLayer = "kCGWindowLayer", *kCGWindowBounds = "kCGWindowBounds";

int held_objects, asked_for;
bool may_see = true, may_post = true, grants, connected = true;
uint64_t flags;
int32_t focused; /* a process; 0: it is not known */
static Window shown[16];
static int count;

void show(int64_t number, int64_t program, int64_t layer, Rect bounds)
{
    shown[count++] = (Window){number, program, layer, bounds};
}

static void *object(size_t size)
{
    held_objects++;
    return calloc(1, size);
}

void CFRelease(void *one)
{
    held_objects -= one != NULL;
    free(one);
}

uint64_t CGEventSourceFlagsState(int32_t state) { return state == 0 ? flags : 0; }
bool CGPreflightScreenCaptureAccess(void) { return may_see; }
bool CGPreflightPostEventAccess(void) { return may_post; }
bool CGRequestScreenCaptureAccess(void) { asked_for |= 1; return grants; }
bool CGRequestPostEventAccess(void) { asked_for |= 2; return grants; }

typedef struct { Window *windows; long count; } Array;

/* Option 1: only what is on the screen, from front to back. NULL without a window server. */
Array *CGWindowListCopyWindowInfo(uint32_t option, uint32_t relative_to)
{
    if (!connected || option != 1 || relative_to != 0)
        return NULL;
    Array *array = object(sizeof *array);
    *array = (Array){shown, count};
    return array;
}

long CFArrayGetCount(const Array *array) { return array->count; }
const void *CFArrayGetValueAtIndex(const Array *array, long index) { return &array->windows[index]; }

/* What it gives belongs to the dictionary: it is not released. */
const void *CFDictionaryGetValue(const Window *window, const char *key)
{
    if (!strcmp(key, "kCGWindowNumber")) return &window->number;
    if (!strcmp(key, "kCGWindowOwnerPID")) return &window->program;
    if (!strcmp(key, "kCGWindowLayer")) return &window->layer;
    return strcmp(key, "kCGWindowBounds") ? NULL : &window->bounds;
}

bool CFNumberGetValue(const Number *number, long type, void *value)
{
    if (type != 4) /* kCFNumberSInt64Type */
        return false;
    memcpy(value, &number->value, 8);
    return true;
}

bool CGRectMakeWithDictionaryRepresentation(const Rect *from, Rect *rect)
{
    *rect = *from;
    return true;
}

String *CFStringCreateWithCString(void *allocator, const char *letters, uint32_t encoding)
{
    if (allocator || encoding != 0x08000100) /* kCFStringEncodingUTF8 */
        return NULL;
    String *string = object(sizeof *string);
    strncpy(string->letters, letters, sizeof string->letters - 1);
    return string;
}

Number *AXUIElementCreateSystemWide(void) { return object(sizeof(Number)); }

int32_t AXUIElementCopyAttributeValue(Number *element, const String *name, Number **value)
{
    if (!element || strcmp(name->letters, "AXFocusedApplication"))
        return -25205; /* kAXErrorAttributeUnsupported */
    if (!focused)
        return -25204; /* kAXErrorCannotComplete */
    *value = object(sizeof(Number));
    (*value)->value = focused;
    return 0;
}

int32_t AXUIElementGetPid(const Number *element, int32_t *process)
{
    *process = (int32_t)element->value;
    return 0;
}
