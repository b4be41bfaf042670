/** What Django wants to see on a call that changes something and is carried by the cookie. */
export function csrfHeaders(): Record<string, string> {
  const token = csrfToken();
  return token ? { "X-CSRFToken": token } : {};
}

function csrfToken(): string | undefined {
  const cookie = /(?:^|;\s*)csrftoken=([^;]+)/.exec(document.cookie)?.[1];
  if (cookie) return decodeURIComponent(cookie);
  const meta = document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content;
  return (
    meta ?? document.querySelector<HTMLInputElement>('input[name="csrfmiddlewaretoken"]')?.value
  );
}
