/** The header that Django requires of a call that changes something and uses the session cookie. */
export function csrfHeaders(): Record<string, string> {
  const token = csrfToken();
  return token ? { "X-CSRFToken": token } : {};
}

/** The CSRF token of the current session; it changes with every sign-in, also in another tab. */
export function csrfCookie(): string | undefined {
  const cookie = /(?:^|;\s*)csrftoken=([^;]+)/.exec(document.cookie)?.[1];
  return cookie && decodeURIComponent(cookie);
}

function csrfToken(): string | undefined {
  const cookie = csrfCookie();
  if (cookie) return cookie;
  const meta = document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content;
  return (
    meta ?? document.querySelector<HTMLInputElement>('input[name="csrfmiddlewaretoken"]')?.value
  );
}
