package import Domain
package import FoundationEssentials
internal import Secrets
internal import Store

/// A change that a device made offline, as it was sent.
package struct SyncMutation: Sendable {
  /// The requested effect.
  package enum Operation: Sendable {
    /// A new record with these fields.
    case create(JSONObject)
    /// New values of some fields. `base` is the version of the record that the device knew.
    case patch(JSONObject, base: Int64?)
    case transition(TransitionRequest)
    case delete(comment: String?)
    /// Another file of the record, whose bytes are sent later.
    case attach(AttachedFile)

    /// The name in the protocol.
    package var name: String {
      switch self {
      case .create: "create"
      case .patch: "patch"
      case .transition: "transition"
      case .delete: "delete"
      case .attach: "attach"
      }
    }
  }

  /// The number of the change, assigned by the device in ascending order.
  package let no: Int64
  package let type: String
  package let record: UUID
  package private(set) var operation: Operation
  /// The time of the change by the device's clock; nil if it sent none.
  package let clientTime: Instant?
  /// The change as the device sent it, with ids in the place of names.
  package private(set) var document: JSONObject

  /// Identifies the change: a repetition has the same hash, another change under the same number a different one.
  package let hash: [UInt8]

  /// The fields of a new record, of a change or of a transition; nil for other changes.
  var fields: JSONObject? {
    switch operation {
    case .create(let fields), .patch(let fields, _): fields
    case .transition(let request): request.fields
    case .delete, .attach: nil
    }
  }

  /// Returns the change with other fields. It stays the same change: its hash is that of the sent one.
  func with(_ fields: JSONObject) -> SyncMutation {
    var change = self
    switch operation {
    case .create: change.operation = .create(fields)
    case .patch(_, let base): change.operation = .patch(fields, base: base)
    case .transition(let request): change.operation = .transition(request.with(fields))
    case .delete, .attach: return self
    }
    change.document["fields"] = .object(fields)
    return change
  }

  /// Returns the change as the engine applies it.
  ///
  /// - Parameter member: the device's member, to whom files belong.
  func request(of device: UUID, member: UUID?) -> ChangeRequest {
    let base: Int64? = if case .patch(_, let known) = operation { known } else { nil }
    let operation: RecordOperation =
      switch self.operation {
      case .create(let fields): .create(type: type, id: record, fields: fields)
      case .patch(let fields, _): .update(type: type, id: record, fields: fields)
      case .transition(let request): .transition(type: type, id: record, request: request)
      case .delete(let comment): .delete(type: type, id: record, comment: comment)
      case .attach(let file): .attach(type: type, id: record, file: file, member: member)
      }
    return ChangeRequest(
      no: no,
      operation: operation,
      base: base,
      origin: RecordOrigin(device: device, clientTime: clientTime)
    )
  }

  /// The longest change in bytes that a device may send.
  package static let longest = 262_144

  /// Reads a change.
  ///
  /// - Throws: `missing_fields`, `unknown_fields`, `invalid_input`, `invalid_id`, `invalid_number` or
  ///   `invalid_instant`, naming the member: the client does not follow the protocol.
  package init(_ object: JSONObject) throws(DomainError) {
    let members = try RequestMembers(
      object,
      [
        "no", "type", "id", "op", "fields", "comment", "base_version", "transition", "client_time", "file",
      ]
    )
    no = try members.integer("no", SyncBounds.numbers)
    type = try members.text("type")
    record = try members.id("id")
    let verb = try members.text("op")
    let fields = try members.optionalObject("fields")
    let comment = try members.optionalText("comment")
    let base = try members.optionalInteger("base_version", SyncBounds.numbers)
    let transition = try members.optionalText("transition")
    clientTime = try members.optionalInstant("client_time")
    let file = try members.optionalObject("file")
    switch verb {
    case "create": operation = .create(try members.given(fields, "fields"))
    case "patch": operation = .patch(try members.given(fields, "fields"), base: base)
    case "transition":
      operation = .transition(
        TransitionRequest(
          try members.given(transition, "transition"),
          comment: comment,
          fields: fields ?? [:],
          madeAt: clientTime
        )
      )
    case "delete": operation = .delete(comment: comment)
    case "attach": operation = .attach(try AttachedFile(try members.given(file, "file")))
    default:
      throw DomainError(
        .invalidInput,
        "there is no operation \(Quoted(verb))",
        hint: "use create, patch, transition, delete or attach",
        details: ["fields": ["op"]]
      )
    }
    document = object
    hash = SHA256.hash(JSONValue.object(object).canonicalText)
  }
}

extension AttachedFile {
  /// Reads the description of a file.
  fileprivate init(_ object: JSONObject) throws(DomainError) {
    let members = try RequestMembers(object, ["id", "kind", "name", "size", "sha256"])
    self.init(
      id: try members.id("id"),
      kind: try members.text("kind"),
      name: try members.text("name"),
      // The change is judged whatever the size is; a larger number is larger than every limit, too.
      size: Int(min(try members.integer("size", SyncBounds.counts), Int64(Int32.max))),
      digest: try members.optionalDigest("sha256")
    )
  }
}
