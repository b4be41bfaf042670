import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";

import { bytes } from "../../shared/format";
import { t } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { Icon } from "../../shared/ui/Icon";
import { onDemand } from "../../shared/ui/onDemand";
import {
  fetchPicture,
  fetchPlates,
  removePicture,
  type StudioCourse,
  type UploadRules,
} from "./api";
import { Html } from "./Html";
import { Status, Inside, useField } from "./CourseForm";
import { Tip } from "./Tip";

const PictureDialog = onDemand(() =>
  import("./PictureDialog").then((found) => found.PictureDialog),
);

type Props = {
  course: StudioCourse;
  upload: UploadRules;
  lectures: string;
  /** The picture was set or removed: the card shows it. */
  onChanged: (hasPicture: boolean) => void;
};

const TYPES = "image/png,image/jpeg,image/webp";

/** How the course looks on cards: its artwork in a variation, or a picture with its crop. */
export function Media({ course, upload, lectures, onChanged }: Props) {
  const { uid, slug } = course;
  const client = useQueryClient();
  const variant = useField("plate_variant");
  const subject = useField("subject").text;
  const plates = useQuery({
    queryKey: ["studio-plates", uid, subject],
    queryFn: () => fetchPlates(uid),
  });
  const pictureKey = ["studio-picture", slug];
  const picture = useQuery({ queryKey: pictureKey, queryFn: () => fetchPicture(slug) });
  const [chosen, setChosen] = useState<File | null>(null);
  const [isCropping, setCropping] = useState(false);
  const [isOver, setOver] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const removing = useMutation({
    mutationFn: () => removePicture(slug),
    onSuccess: () => {
      client.setQueryData(pictureKey, null);
      onChanged(false);
      toast(t("The picture was removed. Learners see the course artwork."));
    },
    onError: ({ message }) => void toast(message),
  });
  const choose = (file: File | undefined): void => {
    if (file) setChosen(file);
  };
  const close = (): void => {
    setChosen(null);
    setCropping(false);
  };
  const present = picture.data ?? null;
  const largest = present?.renditions.at(-1)?.href;
  return (
    <>
      <section className="wiz__sec" aria-labelledby="wizard-plate-title">
        <header>
          <div className="tips">
            <h3 className="h4 inline" id="wizard-plate-title">
              {t("Thumbnail")}
            </h3>{" "}
            <Tip
              label={t("About thumbnails")}
              text={t(
                "The picture stands for the course on cards, in search and in shared links. Use one without text that is still clear when it is small.",
              )}
            />
          </div>
          <p>
            {present
              ? t("Your picture is shown wherever the course appears.")
              : t(
                  "Every course gets its own artwork, generated from its name. Choose a variation, or upload a picture.",
                )}
          </p>
        </header>
        {present ? (
          <div className="wizard__picture">
            <span className="plate">
              <img className="plate-art plate-art--photo" src={largest} alt={present.alt} />
            </span>
            <div className="stack gap-3">
              <p className="small muted">
                {present.alt === ""
                  ? t("No alternative text: the picture only decorates.")
                  : t("Alternative text: {text}", { text: present.alt })}
              </p>
              <div className="row row--tight">
                <button
                  type="button"
                  className="btn btn--sm"
                  disabled={variant.isLocked}
                  onClick={() => setCropping(true)}
                >
                  <Icon name="crop" />
                  {t("Crop and describe")}
                </button>
                <button
                  type="button"
                  className="btn btn--sm btn--danger"
                  disabled={variant.isLocked || removing.isPending}
                  onClick={() => removing.mutate()}
                >
                  <Icon name="trash-2" />
                  {t("Remove picture")}
                </button>
              </div>
            </div>
          </div>
        ) : (
          <Inside name="plate_variant">
            <fieldset className="bare" disabled={variant.isLocked}>
              <legend className="vh">{t("Artwork")}</legend>
              <div className="platepick wizard__plates">
                {(plates.data ?? []).map((drawing, index) => (
                  // The server draws them in a fixed order.
                  <label key={index}>
                    <input
                      type="radio"
                      name="wizard-plate"
                      data-field={variant.value === index ? "plate_variant" : undefined}
                      aria-label={t("Variation {number}", { number: index + 1 })}
                      checked={variant.value === index}
                      onChange={() => variant.set(index)}
                    />
                    <Html className="plate" html={drawing} />
                    <span className="platepick__tick" aria-hidden="true">
                      <Icon name="check" />
                    </span>
                  </label>
                ))}
              </div>
            </fieldset>
            <Status
              name="plate_variant"
              show={(value) => t("Variation {number}", { number: Number(value) + 1 })}
            />
          </Inside>
        )}
        {!variant.isLocked && (
          // The button does the same.
          // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
          <div
            className={`drop wizard__upload${isOver ? " is-over" : ""}`}
            role="group"
            aria-label={t("Upload a picture")}
            onDragOver={(event) => {
              event.preventDefault();
              setOver(true);
            }}
            onDragLeave={() => setOver(false)}
            onDrop={(event) => {
              event.preventDefault();
              setOver(false);
              choose(event.dataTransfer.files[0]);
            }}
          >
            <Icon name="image-up" className="i--lg" />
            <div className="grow">
              <p className="medium">
                {present ? t("Replace the picture") : t("Or use a picture of your own")}
              </p>
              <p className="small faint">
                {t("PNG, JPEG or WebP, up to {size}, at least 640 × 360 pixels.", {
                  size: bytes(upload.limit),
                })}
              </p>
            </div>
            <button type="button" className="btn btn--sm" onClick={() => chooser.current?.click()}>
              {t("Choose a picture")}
            </button>
            <input
              ref={chooser}
              className="vh"
              type="file"
              accept={TYPES}
              tabIndex={-1}
              aria-label={t("Picture")}
              onChange={({ target }) => {
                choose(target.files?.[0]);
                target.value = "";
              }}
            />
          </div>
        )}
        {(chosen !== null || (isCropping && present)) && (
          <PictureDialog
            slug={slug}
            file={chosen}
            present={chosen === null ? present : null}
            upload={upload}
            onClose={close}
            onFailed={() => {
              close();
              toast(t("The dialog could not be loaded. Check your connection, then try again."));
            }}
            onSaved={(saved) => {
              client.setQueryData(pictureKey, saved);
              close();
              onChanged(true);
              toast(t("The picture was saved."));
            }}
          />
        )}
      </section>
      <section className="wiz__sec wizard__part" aria-labelledby="wizard-videos">
        <header>
          <h3 className="h4" id="wizard-videos">
            {t("Videos")}
          </h3>
          <p>
            {t(
              "Videos belong to lessons. Record in 1080p, which looks sharp on every screen, and keep a lesson between 5 and 15 minutes: most learners watch those to the end.",
            )}
          </p>
        </header>
        <div>
          <a className="btn btn--sm" href={lectures}>
            <Icon name="film" />
            {t("Add videos to lessons")}
          </a>
        </div>
      </section>
    </>
  );
}
