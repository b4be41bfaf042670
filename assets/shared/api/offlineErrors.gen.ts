// Written by `make contract` from the error classes in Python. Do not edit.

export const offlineErrors = {
  "OFFLINE_BROWSER_UNFIT": {
    "title": "This browser can't store lessons",
    "message": "Lessons are stored encrypted, and this window has no place for them. Private windows and old browsers can't do that, nor can sites without https."
  },
  "OFFLINE_STORAGE_FULL": {
    "title": "No room left on this device",
    "message": "What has arrived is kept. Free up some space, then try again."
  },
  "OFFLINE_LIMIT_REACHED": {
    "title": "Your storage limit is reached",
    "message": "This lesson would take more than you allow for lessons. Raise the limit or remove other lessons."
  },
  "OFFLINE_FILE_MISSING": {
    "title": "A part of this lesson couldn't be fetched",
    "message": "What has arrived is kept. Try again; if it fails again, the lesson may be changing right now."
  }
} as const;
