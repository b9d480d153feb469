internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Files and uploads in answers.
enum FileJSON {
  /// Returns a file.
  static func file(_ file: AttachmentRow, company: UUID) -> JSONObject {
    var json: JSONObject = [
      "id": .string(file.id.text), "record_type": .string(file.recordType),
      "record_id": .string(file.recordID.text),
      "kind": .string(file.kind), "name": .string(file.name), "state": .string(file.state.rawValue),
      "media_type": .string(file.mediaType), "size": .integer(file.size),
      "has_thumbnail": .bool(file.thumbnailDigest != nil && file.state == .ready),
      "created_by": file.createdBy.map { .string($0.text) } ?? .null,
      "author": file.author.map { .string($0) } ?? .null,
      "created_at": .string(file.createdAt.description), "path": .string(path(of: file, company: company)),
    ]
    if file.state == .ready, let digest = file.digest { json["sha256"] = .string(Hex.encode(digest)) }
    if let refusal = file.refusal { json["refusal"] = .string(refusal) }
    if let deleted = file.deletedAt { json["deleted_at"] = .string(deleted.description) }
    return json
  }

  /// Returns an upload.
  static func upload(_ row: UploadRow) -> JSONObject {
    [
      "id": .string(row.id.text), "record_type": .string(row.recordType),
      "record_id": .string(row.recordID.text),
      "kind": .string(row.kind), "name": .string(row.name), "state": .string("uploading"),
      "maximum_size": .integer(row.size), "received": .integer(row.received),
      "expires_at": .string(row.expiresAt.description),
    ]
  }

  /// Returns `companies/{company}/{app}/{record}/{file}.{extension}`, the path under which phones store a file.
  private static func path(of file: AttachmentRow, company: UUID) -> String {
    let app = file.recordType.prefix { $0 != "." }
    let suffix = extensions[file.mediaType].map { ".\($0)" } ?? ""
    return "companies/\(company.text)/\(app)/\(file.recordID.text)/\(file.id.text)\(suffix)"
  }

  private static let extensions = [
    "image/jpeg": "jpg", "image/png": "png", "image/webp": "webp", "image/gif": "gif", "image/heic": "heic",
    "application/pdf": "pdf", "text/plain": "txt", "text/csv": "csv",
  ]

  static let fileSchema = Schema.object([
    .init("id", .uuid), .init("record_type", .string), .init("record_id", .uuid), .init("kind", .string),
    .init("name", .text(maximum: 200)),
    .init(
      "state",
      .enumeration(["awaited", "pending", "ready", "refused"]),
      "Only the uploader can read a file that is not ready. The bytes of an awaited one are on a device."
    ),
    .init("media_type", .string), .init("size", .integer(minimum: 1)),
    .optional("sha256", .string, "SHA-256 of the prepared bytes, in hexadecimal"),
    .init("has_thumbnail", .boolean), .optional("refusal", .string), .init("created_by", .nullable(.uuid)),
    .init("author", .nullable(.string)), .init("created_at", .time), .optional("deleted_at", .time),
    .init("path", .string),
  ])

  static let uploadSchema = Schema.object([
    .init("id", .uuid), .init("record_type", .string), .init("record_id", .uuid), .init("kind", .string),
    .init("name", .text(maximum: 200)), .init("state", .enumeration(["uploading"])),
    .init("maximum_size", .integer(minimum: 1)), .init("received", .integer(minimum: 0)),
    .init("expires_at", .time),
  ])

  static let wishSchema = Schema.object([
    .optional("id", .uuid, "Id chosen by the client; a repetition returns the same upload."),
    .init("kind", .string, "Kind of file, from the manifest of the record's type"),
    .init("name", .text(maximum: 200)),
    .optional("size", .integer(minimum: 1), "Size in bytes; without it the maximum is reserved."),
    .optional("sha256", .string, "SHA-256 of the bytes, in hexadecimal"),
  ])
}
