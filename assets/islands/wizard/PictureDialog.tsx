import {
  type CSSProperties,
  useEffect,
  useId,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";

import { maxZoom, overflowOf } from "../../shared/pictureCrop";
import { followDrag } from "../../shared/drag";
import { bytes, number } from "../../shared/format";
import { t } from "../../shared/i18n";
import { Dialog } from "../../shared/ui/Dialog";
import { Icon } from "../../shared/ui/Icon";
import { Transfers } from "../../shared/uploads/transfers";
import { tusTransportOnDemand } from "../../shared/uploads/tusTransportOnDemand";
import { type Crop, type Picture, savePicture, type UploadRules } from "./api";

type Props = {
  slug: string;
  /** A new picture; null: the present one is cropped again. */
  file: File | null;
  present: Picture | null;
  upload: UploadRules;
  onClose: () => void;
  onSaved: (picture: Picture | null) => void;
};

const MIDDLE: Crop = { x: 0.5, y: 0.5, zoom: 1 };
const clamp = (value: number): number => Math.min(1, Math.max(0, value));
const uidOf = (url: string): string => url.split("/").filter(Boolean).at(-1) ?? "";

/** Choose which part of a picture is shown, and say what it shows. By dragging, or with the sliders. */
export function PictureDialog({ slug, file, present, upload, onClose, onSaved }: Props) {
  const id = useId();
  const [crop, setCrop] = useState<Crop>(
    present ? { x: present.x, y: present.y, zoom: present.zoom } : MIDDLE,
  );
  const [alt, setAlt] = useState(present?.alt ?? "");
  const [size, setSize] = useState<{ width: number; height: number } | null>(null);
  const [isUnreadable, setUnreadable] = useState(false);
  const [problem, setProblem] = useState("");
  const [isSaving, setSaving] = useState(false);
  const [source, setSource] = useState(present?.whole ?? "");
  const frame = useRef<HTMLDivElement>(null);
  const [transfers] = useState(
    () => new Transfers(tusTransportOnDemand(upload.endpoint, "file", `picture-${slug}`)),
  );
  const all = useSyncExternalStore(transfers.subscribe, () => transfers.all);
  const transfer = all.at(-1);
  const sent = useRef<string | null>(null);

  useEffect(() => {
    if (!file) return undefined;
    const address = URL.createObjectURL(file);
    setSource(address);
    return () => URL.revokeObjectURL(address);
  }, [file]);

  const most = size ? maxZoom(size.width, size.height, 100 * upload.maxZoom) / 100 : 1;
  const overflow = size ? overflowOf(size.width, size.height, crop.zoom) : { x: 0, y: 0 };

  const finish = async (uid: string | null): Promise<void> => {
    try {
      onSaved(await savePicture(slug, { ...crop, alt, upload: uid }));
    } catch (reason) {
      setProblem(reason instanceof Error ? reason.message : t("The picture wasn't saved."));
      setSaving(false);
    }
  };
  const save = (): void => {
    setProblem("");
    setSaving(true);
    if (!file || sent.current !== null) void finish(sent.current);
    else transfers.add(file, { target: null });
  };
  const state = transfer?.state;
  const url = transfer?.url ?? null;
  const error = transfer?.error ?? null;
  const finishing = useRef(finish);
  finishing.current = finish;
  useEffect(() => {
    if (state === "sent" && url !== null && sent.current === null) {
      sent.current = uidOf(url);
      void finishing.current(sent.current);
    } else if (state === "refused") {
      setProblem(error?.message ?? "");
      setSaving(false);
    }
  }, [error, state, url]);
  const close = (): void => {
    if (transfer && state !== "sent")
      void transfers.cancel(transfer.id).catch(() => transfers.forget(transfer.id));
    onClose();
  };

  const isTooLarge = file !== null && file.size > upload.limit;
  const isTooSmall = size !== null && (size.width < 640 || size.height < 360);
  const refusal = isTooLarge
    ? t("This picture has {size}. Up to {limit} is possible.", {
        size: bytes(file.size),
        limit: bytes(upload.limit),
      })
    : isTooSmall
      ? t("This picture has {width} × {height} pixels. At least 640 × 360 is needed.", {
          width: number(size.width),
          height: number(size.height),
        })
      : isUnreadable
        ? t("This file isn't a picture that can be shown. Choose a PNG, JPEG or WebP.")
        : "";
  const slider = (
    label: string,
    value: number,
    [low, high]: [number, number],
    isOff: boolean,
    set: (value: number) => void,
  ) => (
    // Its text is the first of its lines.
    // eslint-disable-next-line jsx-a11y/label-has-associated-control
    <label className="picture__slide">
      <span className="row row--between">
        <span>{label}</span>
        <output className="num faint">{Math.round(value * 100)}%</output>
      </span>
      <input
        type="range"
        min={low * 100}
        max={high * 100}
        value={Math.round(value * 100)}
        disabled={isOff || isSaving}
        onChange={({ target }) => set(Number(target.value) / 100)}
      />
    </label>
  );
  const percent = transfer
    ? Math.floor((100 * transfer.sent) / Math.max(1, transfer.file.size))
    : 0;
  return (
    <Dialog
      title={file ? t("Crop the picture") : t("Crop and describe")}
      className="wizard__crop"
      hasUnsavedChanges
      onClose={close}
      actions={
        <>
          <button type="button" className="btn btn--quiet" onClick={close}>
            {t("Cancel")}
          </button>
          <button
            type="button"
            className="btn btn--primary"
            disabled={isSaving || refusal !== "" || size === null}
            onClick={save}
          >
            {isSaving && file && sent.current === null
              ? t("Uploading {percent}%", { percent })
              : t("Save picture")}
          </button>
        </>
      }
    >
      <div className="stack gap-5">
        <div
          ref={frame}
          className="picture__frame"
          data-live=""
          style={
            {
              "--crop-zoom": crop.zoom,
              "--crop-x": `${crop.x * 100}%`,
              "--crop-y": `${crop.y * 100}%`,
            } as CSSProperties
          }
        >
          {source !== "" && (
            // The sliders do the same.
            <img
              className="picture__img"
              src={source}
              alt={alt}
              draggable={false}
              onLoad={({ currentTarget }) =>
                setSize({
                  width: currentTarget.naturalWidth,
                  height: currentTarget.naturalHeight,
                })
              }
              onError={() => setUnreadable(true)}
              onPointerDown={(event) => {
                if (!size || isSaving || event.button !== 0) return;
                const { clientX, clientY } = event;
                const start = crop;
                const box = frame.current?.getBoundingClientRect();
                if (!box) return;
                followDrag(event.currentTarget, event, {
                  onMove: (now) => {
                    const move = (from: number, way: number, side: number, room: number) =>
                      room < 0.005 ? from : clamp(from - way / (side * room));
                    setCrop((before) => ({
                      ...before,
                      x: move(start.x, now.clientX - clientX, box.width, overflow.x),
                      y: move(start.y, now.clientY - clientY, box.height, overflow.y),
                    }));
                  },
                  onEnd: () => undefined,
                });
              }}
            />
          )}
        </div>
        {(refusal || problem) !== "" && (
          <p className="field__error" role="alert">
            <Icon name="circle-alert" />
            <span>{refusal || problem}</span>
          </p>
        )}
        {transfer && isSaving && state !== "sent" && (
          <span
            className="bar"
            role="progressbar"
            aria-label={t("Upload")}
            aria-valuenow={percent}
            aria-valuemin={0}
            aria-valuemax={100}
          >
            <i style={{ "--v": percent } as CSSProperties} />
          </span>
        )}
        {state === "interrupted" && (
          <p className="small faint" role="status">
            {t("The connection was lost. The upload continues by itself.")}
          </p>
        )}
        <div className="picture__slides">
          {slider(t("Zoom"), Math.min(crop.zoom, most), [1, most], most <= 1, (zoom) =>
            setCrop((before) => ({ ...before, zoom })),
          )}
          {slider(t("Left to right"), crop.x, [0, 1], overflow.x < 0.005, (x) =>
            setCrop((before) => ({ ...before, x })),
          )}
          {slider(t("Top to bottom"), crop.y, [0, 1], overflow.y < 0.005, (y) =>
            setCrop((before) => ({ ...before, y })),
          )}
        </div>
        <div className="field">
          <label className="field__label" htmlFor={`${id}-alt`}>
            {t("Alternative text")}
            <span className="field__opt">{t("Optional")}</span>
          </label>
          <input
            id={`${id}-alt`}
            className="input"
            maxLength={200}
            value={alt}
            disabled={isSaving}
            aria-describedby={`${id}-alt-h`}
            onChange={({ target }) => setAlt(target.value)}
          />
          <p className="field__hint" id={`${id}-alt-h`}>
            {t(
              "Describe what the picture shows for people who can't see it. Leave it empty if it only decorates.",
            )}
          </p>
        </div>
      </div>
    </Dialog>
  );
}
