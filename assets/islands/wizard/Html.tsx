import { useEffect, useRef } from "react";

/** HTML that the server has drawn. */
export function Html({ html, className }: { html: string; className: string }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (place.current) place.current.innerHTML = html;
  }, [html]);
  return <span ref={place} className={className} />;
}
