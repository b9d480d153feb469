internal import Domain
internal import Engine
internal import FoundationEssentials

/// The body of a request for an upload.
struct UploadBody {
  let id: UUID?
  let kind: String
  let name: String
  let size: Int?
  let digest: [UInt8]?

  /// - Throws: `unknown_fields`, `missing_fields`, `invalid_id`, `invalid_number`, `invalid_input`.
  init(_ body: JSONObject) throws(DomainError) {
    let members = try RequestMembers(body, FileJSON.wishSchema)
    id = try members.optionalID("id")
    kind = try members.text("kind")
    name = try members.text("name")
    size = try members.optionalInteger("size", 0...Int.max)
    digest = try members.optionalDigest("sha256")
  }
}
