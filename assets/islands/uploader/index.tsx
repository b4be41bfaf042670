import { useState } from "react";

import { Transfers } from "../../shared/uploads/transfers";
import { tusTransport } from "../../shared/uploads/tusTransport";
import { Uploader, type UploaderProps } from "./Uploader";

type Props = Omit<UploaderProps, "transfers" | "transport"> & {
  /** The tus endpoint. */
  endpoint: string;
};

/** Uploads videos and shows how the server processes them. */
export function Island({ endpoint, ...props }: Props) {
  const [transport] = useState(() => tusTransport(endpoint));
  const [transfers] = useState(() => new Transfers(transport));
  return <Uploader {...props} transport={transport} transfers={transfers} />;
}
