import { useState } from "react";

import type { Listing } from "./api";
import { Library } from "./Library";
import { placeOf } from "./place";
import { libraryTransports } from "./uploads";

type Props = {
  /** What the page lists, as the API would answer. */
  first: Listing | null;
  /** The tus endpoint. */
  endpoint: string;
  /** Bytes per file. */
  limit: number;
};

/** Replaces the list of the page by one that needs no other page. */
export function Island({ first, endpoint, limit }: Props) {
  const [transportFor] = useState(() => libraryTransports(endpoint));
  const [firstPlace] = useState(() => placeOf(location.search));
  return (
    <Library first={first} firstPlace={firstPlace} limit={limit} transportFor={transportFor} />
  );
}
