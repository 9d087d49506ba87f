/** The amount that a page is about: dollars and cents large, further digits beside them, so that none is lost. */
export function FocalAmount({ of: text }: { readonly of: string }) {
  const cents = text.indexOf('.') + 3;
  const [large, rest] = text.includes('.') ? [text.slice(0, cents), text.slice(cents)] : [text, ''];
  return (
    <div className="focal">
      {large}
      {rest === '' ? null : <span className="focal-rest">{rest}</span>}
    </div>
  );
}
