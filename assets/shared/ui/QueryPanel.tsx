import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";

import { announce } from "../announce";
import { toApiError } from "../api/errors";
import { t } from "../i18n";
import { ErrorPanel } from "./ErrorPanel";
import { Skeleton } from "./Skeleton";

type Props<T> = {
  query: UseQueryResult<T>;
  /** Shapes of the class `skel` while it loads. */
  shapes: ReactNode;
  children: (data: T) => ReactNode;
};

/**
 * The data of a query, its skeleton, or its error with a countdown. The error stays during a retry, so that failures
 * are counted and the layout does not jump.
 */
export function QueryPanel<T>({ query, shapes, children }: Props<T>) {
  const { data, error: failure, isSuccess, refetch } = query;
  const [latest, setLatest] = useState<Error | null>(failure);
  if (failure && failure !== latest) setLatest(failure);
  if (isSuccess && latest) setLatest(null);
  const error = useMemo(() => (latest ? toApiError(latest) : null), [latest]);

  const retry = async (): Promise<void> => {
    await refetch({ throwOnError: true });
    announce(t("Loaded"));
  };
  if (error && data === undefined) return <ErrorPanel error={error} onRetry={retry} />;
  return (
    <Skeleton isLoading={data === undefined} shapes={shapes}>
      {() => (data === undefined ? null : children(data))}
    </Skeleton>
  );
}
