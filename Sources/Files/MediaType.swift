/// The media types that are recognised by the content of a file.
package enum MediaType: String, Sendable, CaseIterable {
  case jpeg = "image/jpeg"
  case png = "image/png"
  case webp = "image/webp"
  case gif = "image/gif"
  case heic = "image/heic"
  case pdf = "application/pdf"
  case text = "text/plain"
  case csv = "text/csv"

  /// True for an image, which is decoded and written again before others may see it.
  package var isImage: Bool { rawValue.hasPrefix("image/") }

  /// The type of the prepared file. Browsers cannot show HEIC, so it becomes JPEG.
  package var prepared: MediaType { self == .heic ? .jpeg : self }

  /// The extension of file names, without the dot.
  package var fileExtension: String {
    switch self {
    case .jpeg: "jpg"
    case .png: "png"
    case .webp: "webp"
    case .gif: "gif"
    case .heic: "heic"
    case .pdf: "pdf"
    case .text: "txt"
    case .csv: "csv"
    }
  }
}
