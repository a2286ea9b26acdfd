/** Asks before something is done. The browser keeps the focus in it, closes it by Escape, and gives the focus back. */
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface ConfirmProps {
  title: string;
  /** what the button says */
  does: string;
  children: ComponentChildren;
  onYes(): void;
  /** It is closed, whatever was said. */
  onClose(): void;
}

export function Confirm({ title, does, children, onYes, onClose }: ConfirmProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const close = (): void => dialog.current?.close();
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
      {/* The first button gets the focus: Enter alone does nothing. */}
      <p class="row">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          onClick={() => {
            close();
            onYes();
          }}
        >
          {does}
        </button>
      </p>
    </dialog>
  );
}
