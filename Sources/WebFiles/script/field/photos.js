// Photos are made small before they are kept: what fits a phone's storage also fits a thin network.

const EDGE = 1_600;
const MOST = 2_097_152;

/** @param {CanvasImageSource} image @param {number} width @param {number} height @param {number} quality @returns {Promise<ArrayBuffer>} */
const jpeg = async (image, width, height, quality) => {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width));
  canvas.height = Math.max(1, Math.round(height));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality));
  if (!(blob instanceof Blob)) throw new TypeError('the picture cannot be read');
  return blob.arrayBuffer();
};

/**
 * Returns a photo of at most 1,600 pixels and 2 MiB, or fewer bytes, with a small picture of it.
 * @param {Blob} source @param {number} [most]
 * @returns {Promise<{bytes: ArrayBuffer, thumb: ArrayBuffer}>}
 */
export const shrink = async (source, most = MOST) => {
  const image = await createImageBitmap(source, { imageOrientation: 'from-image' });
  try {
    const fit = (/** @type {number} */ edge) => Math.min(1, edge / Math.max(image.width, image.height));
    let bytes = new ArrayBuffer(0);
    for (const [edge, quality] of [[EDGE, 0.82], [EDGE, 0.6], [1_000, 0.6], [600, 0.5]]) {
      const scale = fit(edge ?? EDGE);
      bytes = await jpeg(image, image.width * scale, image.height * scale, quality ?? 0.6);
      if (bytes.byteLength <= most) break;
    }
    const scale = fit(192);
    return { bytes, thumb: await jpeg(image, image.width * scale, image.height * scale, 0.7) };
  } finally {
    image.close();
  }
};

/**
 * The change that adds a photo to a record.
 * @param {string} type @param {string} id @param {ArrayBuffer} bytes @param {Date} now
 */
export const attachment = (type, id, bytes, now) => {
  const name = `${now.toISOString().slice(0, 19).replaceAll(':', '')}.jpg`;
  return { op: /** @type {const} */ ('attach'), type, id, file: { id: crypto.randomUUID(), kind: 'photo', name, size: bytes.byteLength } };
};
