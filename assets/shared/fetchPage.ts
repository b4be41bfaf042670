/** A page of this site as the server renders it now; null if the response is another page or an error. */
export async function fetchPage(
  address = location.pathname + location.search,
): Promise<Document | null> {
  const answer = await fetch(address, { credentials: "same-origin" });
  // Redirected: the session has ended.
  if (!answer.ok || answer.redirected) return null;
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}
