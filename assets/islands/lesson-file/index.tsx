import { useState } from "react";

import { Transfers } from "../../shared/uploads/transfers";
import { tusTransport } from "../../shared/uploads/tusTransport";
import { LessonFile, type LessonFileProps } from "./LessonFile";

type Props = Omit<LessonFileProps, "transfers" | "transport"> & {
  /** The tus endpoint. */
  endpoint: string;
};

/** Uploads the file of a file lesson, resumable after a lost connection. */
export function Island({ endpoint, ...props }: Props) {
  const [transport] = useState(() => tusTransport(endpoint, "file"));
  const [transfers] = useState(() => new Transfers(transport));
  return <LessonFile {...props} transport={transport} transfers={transfers} />;
}
