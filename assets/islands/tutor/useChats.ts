import { type InfiniteData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useDeferredValue } from "react";

import { useAuth } from "../../shared/auth/AuthProvider";
import { fetchChats } from "./api";
import type { ChatList, ChatRow } from "./types";

type Pages = InfiniteData<ChatList, string | undefined>;

const keyOf = (search: string) => ["tutor", "chats", search];

/** The user's chats, newest first. `first` is what the page shows already. */
export function useChats(first: ChatList, search: string) {
  const { isLoading } = useAuth();
  const client = useQueryClient();
  const wanted = useDeferredValue(search.trim());
  const query = useInfiniteQuery({
    queryKey: keyOf(wanted),
    queryFn: ({ pageParam }) => fetchChats(wanted, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: ChatList) => next ?? undefined,
    enabled: !isLoading,
    placeholderData: (before) => before,
    ...(wanted === "" ? { initialData: { pages: [first], pageParams: [undefined] } } : {}),
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });

  /** Show a chat as it is now; null: it was deleted. */
  const put = useCallback(
    (uid: string, row: ChatRow | null) => {
      client.setQueryData<Pages>(keyOf(""), (data) => {
        if (!data) return data;
        const pages = data.pages.map((page) => ({
          ...page,
          results: page.results.filter((one) => one.uid !== uid),
        }));
        const [top, ...rest] = pages;
        if (!top || !row) return { ...data, pages };
        return { ...data, pages: [{ ...top, results: [row, ...top.results] }, ...rest] };
      });
      void client.invalidateQueries({
        queryKey: ["tutor", "chats"],
        predicate: ({ queryKey }) => queryKey[2] !== "",
      });
    },
    [client],
  );
  const rows = query.data?.pages.flatMap(({ results }) => results) ?? [];
  return { ...query, rows, put, wanted };
}
