import { useState } from "react";

import { Transfers } from "../../shared/uploads/transfers";
import { tusTransport } from "../../shared/uploads/tusTransport";
import { FileUploads } from "./FileUploads";

type Props = {
  /** The tus endpoint. */
  endpoint: string;
  /** The folder that gets the files, as the target of an upload. */
  target: string;
  /** Bytes per file. */
  limit: number;
};

/** Uploads files and folders to the library, resumable after a lost connection. */
export function Island({ endpoint, target, limit }: Props) {
  const [transport] = useState(() => tusTransport(endpoint, "file", target));
  const [transfers] = useState(() => new Transfers(transport));
  return <FileUploads transfers={transfers} transport={transport} target={target} limit={limit} />;
}
