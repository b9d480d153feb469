internal import Domain
internal import FoundationEssentials
internal import Secrets

/// The body of a request for an upload.
struct FileWish {
  let id: UUID?
  let kind: String
  let name: String
  let size: Int?
  let digest: [UInt8]?

  /// - Throws: `unknown_fields`, `missing_fields`, `invalid_id`, `invalid_number`, `invalid_input`.
  init(_ body: JSONObject) throws {
    let unknown = body.keys.filter { !["id", "kind", "name", "size", "sha256"].contains($0) }
    guard unknown.isEmpty else {
      throw DomainError(
        .unknownFields,
        "unknown members: \(unknown.joined(separator: ", "))",
        details: ["fields": .strings(unknown)]
      )
    }
    let missing = ["kind", "name"].filter { body[$0] == nil }
    guard missing.isEmpty else {
      throw DomainError(
        .missingFields,
        "missing members: \(missing.joined(separator: ", "))",
        details: ["fields": .strings(missing)]
      )
    }
    guard let kind = body["kind"]?.string, let name = body["name"]?.string else {
      throw DomainError(.invalidInput, "kind and name must be strings")
    }
    self.kind = kind
    self.name = name
    if let given = body["id"] {
      guard let id = given.string.flatMap(UUID.init(uuidString:)) else {
        throw DomainError(.invalidID, "id is not a UUID")
      }
      self.id = id
    } else {
      id = nil
    }
    if let given = body["size"] {
      guard let size = given.number?.integer else {
        throw DomainError(.invalidNumber, "size is not a whole number")
      }
      self.size = Int(size)
    } else {
      size = nil
    }
    if let given = body["sha256"] {
      guard let text = given.string, let bytes = Hex.decode(text), bytes.count == 32 else {
        throw DomainError(.invalidInput, "sha256 is not a SHA-256 in hexadecimal")
      }
      digest = bytes
    } else {
      digest = nil
    }
  }
}
