package import Domain
package import FoundationEssentials
package import Store
package import SyncProtocol

/// The changes that a device sends in one request, and the state of its queue.
package struct PushEnvelope: Sendable {
  /// A waiting change, as the device describes it.
  package struct Queued: Sendable {
    package let no: Int64
    package let status: SyncStatus
    package let attempts: Int
    package let type: String
    package let record: UUID
    package let operation: String
  }

  /// The most changes in a request.
  package static let mostMutations = 500
  /// The most waiting changes that a device may describe in a request.
  package static let mostQueued = 100

  package let device: UUID
  /// The epoch of the database that the device knows; nil if it has not pulled yet.
  package let epoch: UUID?
  /// The version of the record types that the client was built for; nil for that of the registration.
  package let schemaVersion: Int?
  /// The number up to which the device has stored every answer.
  package let confirmedNo: Int64
  package let queue: DeviceQueue
  /// Waiting changes whose status or attempts changed since the device last described them, each number once.
  package let queued: [Queued]
  /// The changes, by ascending numbers.
  package internal(set) var mutations: [SyncMutation]

  /// Reads an envelope.
  ///
  /// - Throws: `payload_too_large` for too many changes; `invalid_input` if the numbers do not ascend; the errors of
  ///   ``SyncMutation/init(_:)`` with the position as `mutation` in the details.
  package init(_ object: JSONObject) throws(DomainError) {
    let members = try RequestMembers(
      object,
      ["device_id", "epoch", "schema_version", "confirmed_no", "queue", "mutations"]
    )
    device = try members.id("device_id")
    epoch = try members.optionalID("epoch")
    schemaVersion = try members.optionalInteger("schema_version", SyncBounds.schemaVersions).map { Int($0) }
    confirmedNo = try members.optionalInteger("confirmed_no", SyncBounds.counts) ?? 0
    (queue, queued) = try Self.queue(members.optionalObject("queue") ?? [:])
    var mutations: [SyncMutation] = []
    for (position, object) in try members.objects("mutations", most: Self.mostMutations).enumerated() {
      do {
        mutations.append(try SyncMutation(object))
      } catch {
        throw Self.refusal(error, of: position)
      }
    }
    for (one, next) in zip(mutations, mutations.dropFirst()) where one.no >= next.no {
      throw DomainError(
        .invalidInput,
        "the numbers of the changes do not ascend: \(one.no), \(next.no)",
        hint: "send the oldest change first, and each once",
        details: ["fields": ["mutations"]]
      )
    }
    self.mutations = mutations
  }

  /// Returns the error of a change that cannot be read, with its position as `mutation` in the details.
  package static func refusal(_ error: DomainError, of position: Int) -> DomainError {
    var details = error.details
    details["mutation"] = .integer(position)
    return DomainError(
      error.code,
      "change \(position + 1): \(error.message)",
      hint: error.hint,
      details: details
    )
  }

  private static func queue(_ object: JSONObject) throws(DomainError) -> (DeviceQueue, [Queued]) {
    let members = try RequestMembers(object, ["pending", "failed", "oldest", "items"])
    func count(_ name: String, atMost most: Int64) throws(DomainError) -> Int {
      Int(min(try members.optionalInteger(name, SyncBounds.counts) ?? 0, most))
    }
    let queue = DeviceQueue(
      pending: try count("pending", atMost: SyncBounds.mostWaiting),
      failed: try count("failed", atMost: SyncBounds.mostWaiting),
      oldest: try members.optionalInstant("oldest")
    )
    // The last description of a number counts: a wrong one must not cost the changes beside it.
    var queued: [Int64: Queued] = [:]
    for object in try members.objects("items", most: mostQueued) {
      let members = try RequestMembers(object, ["status", "op", "no", "attempts", "type", "id"])
      let name = try members.text("status")
      guard let status = SyncStatus(rawValue: name), [.pending, .uploading, .failed].contains(status) else {
        throw DomainError(
          .invalidInput,
          "\(Quoted(name)) is not the status of a waiting change",
          hint: "use pending, uploading or failed"
        )
      }
      let operation = try members.text("op")
      guard SyncOperation(rawValue: operation) != nil else {
        throw DomainError(.invalidInput, "there is no operation \(Quoted(operation))")
      }
      let no = try members.integer("no", SyncBounds.numbers)
      queued[no] = Queued(
        no: no,
        status: status,
        attempts: Int(
          min(try members.optionalInteger("attempts", SyncBounds.counts) ?? 0, SyncBounds.mostAttempts)
        ),
        type: try members.text("type"),
        record: try members.id("id"),
        operation: operation
      )
    }
    return (queue, queued.values.sorted { $0.no < $1.no })
  }
}
