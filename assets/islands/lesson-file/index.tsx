import { useState } from "react";

import { Transfers } from "../../shared/uploads/transfers";
import { tusTransport } from "../../shared/uploads/tusTransport";
import { LessonFile, type LessonFileProps } from "./LessonFile";

type Props = Omit<LessonFileProps, "transfers" | "transport"> & {
  /** Where uploads begin. */
  endpoint: string;
};

/** What a file lesson hands out, sent in pieces that survive a lost connection. */
export function Island({ endpoint, ...props }: Props) {
  const [transport] = useState(() => tusTransport(endpoint, "file"));
  const [transfers] = useState(() => new Transfers(transport));
  return <LessonFile {...props} transport={transport} transfers={transfers} />;
}
