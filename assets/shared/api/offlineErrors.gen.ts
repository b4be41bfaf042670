// Written by `make contract` from the error classes in Python. Do not edit.

export const offlineErrors = {
  "OFFLINE_BROWSER_UNFIT": {
    "title": "This browser can't store lessons",
    "message": "Lessons are stored encrypted, which this window doesn't support. Private windows, old browsers and sites without https can't store lessons."
  },
  "OFFLINE_STORAGE_FULL": {
    "title": "No room left on this device",
    "message": "This device has no room left for lessons. Free up some space, then try again."
  },
  "OFFLINE_LIMIT_REACHED": {
    "title": "Your storage limit is reached",
    "message": "This lesson would exceed your limit. Raise the limit or remove other lessons."
  },
  "OFFLINE_FILE_MISSING": {
    "title": "A part of this lesson couldn't be fetched",
    "message": "A part of it couldn't be fetched. Try again. If it fails again, the lesson may be changing right now."
  }
} as const;
