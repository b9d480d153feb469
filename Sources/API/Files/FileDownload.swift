internal import Engine
internal import Files
internal import FoundationEssentials
internal import Secrets
internal import Store

/// The answer with the bytes of a file. No database connection is held while they are sent.
enum FileDownload {
  /// Returns the bytes, a range of them, or 304 if the client has them.
  static func answer(
    _ content: Attachments.Content,
    _ store: any BlobStore,
    to request: APIRequest,
    caching: String
  ) -> APIAnswer {
    let tag = "\"\(Hex.encode(content.blob.digest))\""
    var headers: APIHeaders = [
      "etag": tag, "accept-ranges": "bytes", "cache-control": caching, "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      "cross-origin-resource-policy": "same-origin", "content-disposition": disposition(of: content),
    ]
    if matches(request.headers["if-none-match"], tag) { return APIAnswer(status: 304, headers: headers) }
    headers["content-type"] =
      content.mediaType.hasPrefix("text/") ? "\(content.mediaType); charset=utf-8" : content.mediaType
    let isCurrent = request.headers["if-range"].map { $0 == tag } ?? true
    switch ByteRange(parsing: isCurrent ? request.headers["range"] : nil, size: content.size) {
    case .all:
      return APIAnswer(headers: headers, body: body(content, store, 0..<content.size))
    case .part(let range):
      headers["content-range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.size)"
      return APIAnswer(status: 206, headers: headers, body: body(content, store, range))
    case .unsatisfiable:
      headers["content-range"] = "bytes */\(content.size)"
      headers["content-type"] = nil
      return APIAnswer(status: 416, headers: headers)
    }
  }

  private static func body(
    _ content: Attachments.Content,
    _ store: any BlobStore,
    _ range: Range<Int>
  ) -> APIAnswer.Body {
    let blob = content.blob
    let offset = OffsetBox(range.lowerBound)
    let end = range.upperBound
    let stream = APIByteStream(unfolding: {
      let start = offset.take(upTo: end)
      guard let start else { return nil }
      let piece = try await store.read(blob, start)
      guard piece.count == start.count else {
        throw FilesError(.mismatch, "a stored file is shorter than it was")
      }
      return piece
    })
    return .stream(stream, length: range.count)
  }

  /// Images are shown; everything else is saved.
  private static func disposition(of content: Attachments.Content) -> String {
    let isImage = content.mediaType.hasPrefix("image/")
    return "\(isImage ? "inline" : "attachment"); \(HeaderFileName.parameters(content.file.name))"
  }

  private static func matches(_ field: String?, _ tag: String) -> Bool {
    guard let field else { return false }
    return field.split(separator: ",").contains { entry in
      let entry = entry.filter { $0 != " " && $0 != "\t" }
      return entry == "*" || entry == tag || entry == "W/\(tag)"
    }
  }
}

/// A file name as the parameters of `Content-Disposition` (RFC 6266).
enum HeaderFileName {
  /// Returns `filename="…"` in ASCII, and `filename*=UTF-8''…` with all characters, escaped.
  static func parameters(_ name: String) -> String {
    let plain = String(
      name.unicodeScalars.map { scalar -> Character in
        scalar.isASCII && scalar.value >= 0x20 && scalar.value != 0x7F
          && !"\"\\%;".unicodeScalars.contains(scalar)
          ? Character(scalar) : "_"
      }
    )
    let escaped = name.utf8.map { byte -> String in
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "-._~".utf8.contains(byte)
      return isPlain ? String(UnicodeScalar(byte)) : "%\(Hex.encode([byte]).uppercased())"
    }
    return "filename=\"\(plain)\"; filename*=UTF-8''\(escaped.joined())"
  }
}
