// Written by `make contract` from the error classes in Python. Do not edit.

export const paymentErrors = {
  "card_error": {
    "message": "Your card was declined",
    "ownWords": true
  },
  "validation_error": {
    "message": "Invalid payment information provided",
    "ownWords": false
  },
  "api_connection_error": {
    "message": "Network error occurred. Please try again",
    "ownWords": false
  },
  "api_error": {
    "message": "A server error occurred. Please try again",
    "ownWords": false
  },
  "authentication_error": {
    "message": "Authentication with payment provider failed",
    "ownWords": false
  },
  "rate_limit_error": {
    "message": "Too many requests. Please wait and try again",
    "ownWords": false
  },
  "other": {
    "message": "Payment processing error",
    "ownWords": true
  },
  "unknown": {
    "message": "An unknown error occurred",
    "ownWords": false
  },
  "plain": {
    "message": "An unexpected error occurred",
    "ownWords": true
  }
} as const;
