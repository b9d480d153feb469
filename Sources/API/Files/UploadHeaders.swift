internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Secrets

/// The header fields of tus 1.0.
enum UploadHeaders {
  /// Parses `Upload-Metadata`: pairs of a name and a value in base64, separated by commas.
  ///
  /// - Throws: `invalid_input` for another form, a repeated name, and a value that is not UTF-8.
  static func metadata(_ field: String) throws -> [String: String] {
    let refusal = DomainError(.invalidInput, "Upload-Metadata is malformed")
    var values: [String: String] = [:]
    for pair in field.split(separator: ",") {
      let parts = pair.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
      guard (1...2).contains(parts.count), values[parts[0]] == nil else { throw refusal }
      guard parts.count == 2 else {
        values[parts[0]] = ""
        continue
      }
      guard let bytes = Base64.decode(parts[1]), let text = String(validating: bytes, as: UTF8.self) else {
        throw refusal
      }
      values[parts[0]] = text
    }
    return values
  }

  /// Returns the request for an upload. Unknown names are ignored, as tus requires.
  ///
  /// - Throws: `missing_fields`, `invalid_id`, `invalid_input`.
  static func request(_ metadata: [String: String], size: Int) throws -> Uploads.Request {
    let missing = ["record_type", "record_id", "kind", "filename"].filter { metadata[$0] == nil }
    guard missing.isEmpty else {
      throw DomainError(
        .missingFields,
        "Upload-Metadata has no \(missing.joined(separator: ", "))",
        details: ["fields": .strings(missing)]
      )
    }
    guard let record = UUID(text: metadata["record_id"] ?? "") else {
      throw DomainError(.invalidID, "record_id is not a UUID")
    }
    var request = Uploads.Request(
      type: metadata["record_type"] ?? "",
      record: record,
      kind: metadata["kind"] ?? "",
      name: metadata["filename"] ?? "",
      size: size
    )
    if let text = metadata["id"] {
      guard let id = UUID(text: text) else { throw DomainError(.invalidID, "id is not a UUID") }
      request.id = id
    }
    if let text = metadata["sha256"] {
      guard let digest = Hex.decode(text), digest.count == 32 else {
        throw DomainError(.invalidInput, "sha256 is not a SHA-256 in hexadecimal")
      }
      request.digest = digest
    }
    return request
  }

  /// Parses `Upload-Checksum`: the algorithm, and the digest in base64.
  ///
  /// - Throws: `invalid_input` for another algorithm or form.
  static func checksum(_ field: String) throws -> PartChecksum {
    let parts = field.split(separator: " ").map(String.init)
    if parts.count == 2, let digest = Base64.decode(parts[1]) {
      if parts[0] == "sha1", digest.count == 20 { return .sha1(digest) }
      if parts[0] == "sha256", digest.count == 32 { return .sha256(digest) }
    }
    throw DomainError(.invalidInput, "Upload-Checksum is not sha1 or sha256 with a digest in base64")
  }
}
