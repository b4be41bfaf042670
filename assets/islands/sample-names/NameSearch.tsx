import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { t, tn } from "../../shared/i18n";
import { NetworkPanels } from "../../shared/samples/NetworkPanels";
import { Button } from "../../shared/ui/Button";
import { Icon } from "../../shared/ui/Icon";
import { QueryPanel } from "../../shared/ui/QueryPanel";
import { findNames, network } from "./api";

const DEBOUNCE_MS = 300;
const shapes = ["10rem", "13rem", "9rem", "12rem", "11rem", "8rem"];

/** Fetches names while somebody types. `search` is what the page was asked for. */
export function NameSearch({ search }: { search: string }) {
  const cache = useQueryClient();
  const [typed, setTyped] = useState(search);
  const [asked, setAsked] = useState({ q: search, page: 1 });
  const [keepsResults, setKeepsResults] = useState(false);
  const query = useQuery({
    queryKey: ["sample-names", asked],
    queryFn: ({ signal }) => findNames(asked.q, asked.page, signal),
    placeholderData: (previous) => (keepsResults ? previous : undefined),
  });

  const ask = (q: string, page: number): void => {
    setKeepsResults(true);
    setAsked({ q, page });
  };
  useEffect(() => {
    if (typed.trim() === asked.q) return undefined;
    const timer = setTimeout(() => ask(typed.trim(), 1), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed, asked.q]);

  return (
    <div className="bench__example">
      <section className="panel" aria-labelledby="example">
        <div className="panel__head">
          <h2 className="h5" id="example">
            {t("The example")}
          </h2>
          <span className="badge" role="status">
            {query.data ? tn("{count} name", "{count} names", query.data.count) : t("Loading")}
          </span>
        </div>
        <div className="panel__body stack">
          <form
            className="sample__add"
            role="search"
            onSubmit={(event) => {
              event.preventDefault();
              ask(typed.trim(), 1);
            }}
          >
            <label className="vh" htmlFor="search-names">
              {t("Search names")}
            </label>
            <input
              className="input"
              type="search"
              id="search-names"
              placeholder={t("Search names")}
              maxLength={100}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
            <Button type="submit" isBusy={query.isPlaceholderData}>
              {t("Search")}
            </Button>
          </form>
          <div className="sample__results" aria-busy={query.isFetching}>
            <QueryPanel
              query={query}
              shapes={shapes.map((width) => (
                <span key={width} className="skel skel--line" style={{ width }} />
              ))}
            >
              {({ results, next, previous }) => (
                <>
                  {results.length === 0 && !query.isPlaceholderData && (
                    <p className="muted">
                      {t("No name contains “{search}”.", { search: asked.q })}
                    </p>
                  )}
                  <ul className="todolist">
                    {results.map(({ name, field }) => (
                      <li key={name}>
                        <span className="grow">{name}</span>
                        <span className="small faint">{field}</span>
                      </li>
                    ))}
                  </ul>
                  {(next ?? previous) && (
                    <div className="row row--between mt-4">
                      <Button
                        size="sm"
                        disabled={!previous}
                        onClick={() => ask(asked.q, asked.page - 1)}
                      >
                        {t("Previous")}
                      </Button>
                      <span className="small faint">{t("Page {page}", { page: asked.page })}</span>
                      <Button
                        size="sm"
                        disabled={!next}
                        onClick={() => ask(asked.q, asked.page + 1)}
                      >
                        {t("Next")}
                      </Button>
                    </div>
                  )}
                </>
              )}
            </QueryPanel>
          </div>
        </div>
      </section>
      <NetworkPanels network={network} faults={["slow", "fail"]}>
        <Button
          size="sm"
          onClick={() => {
            setKeepsResults(false);
            void cache.resetQueries({ queryKey: ["sample-names"] });
          }}
        >
          <Icon name="refresh-cw" />
          {t("Load again")}
        </Button>
      </NetworkPanels>
    </div>
  );
}
