import { type ComponentProps, type MouseEvent, useLayoutEffect, useRef } from "react";

type Props = Omit<ComponentProps<"button">, "aria-busy"> & {
  look?: "primary" | "secondary" | "quiet" | "danger" | "danger-fill" | "ink";
  size?: "sm" | "lg";
  /** Whether its action is running: it keeps width and focus and ignores presses. */
  isBusy?: boolean;
};

export function Button({
  look = "secondary",
  size,
  isBusy = false,
  className = "",
  children,
  onClick,
  ...rest
}: Props) {
  const element = useRef<HTMLButtonElement>(null);
  const width = useRef(0);
  useLayoutEffect(() => {
    const button = element.current;
    if (!button) return;
    if (isBusy) button.style.minWidth = `${width.current}px`;
    else {
      button.style.minWidth = "";
      width.current = button.offsetWidth;
    }
  }, [isBusy, children]);

  const classes = [
    "btn",
    look !== "secondary" && `btn--${look}`,
    size && `btn--${size}`,
    className,
  ];
  const press = (event: MouseEvent<HTMLButtonElement>): void => {
    if (isBusy) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button
      type="button"
      {...rest}
      ref={element}
      className={classes.filter(Boolean).join(" ")}
      aria-busy={isBusy || undefined}
      onClick={press}
    >
      {isBusy && <span className="spin" aria-hidden="true" />}
      {children}
    </button>
  );
}
