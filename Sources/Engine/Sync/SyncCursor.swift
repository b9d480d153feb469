internal import Domain
internal import FoundationEssentials
internal import Secrets

/// The position of a device in the feed.
///
/// Every scope is complete up to ``checkpoint``, except those of ``partial``, which are complete up to their own
/// position. The cursor is not signed: it holds positions only, and each pull decides from the member's
/// current rights what may be read. A changed cursor affects only the device that sends it.
struct SyncCursor: Sendable, Hashable {
  /// The epoch of the database to which the positions belong.
  let epoch: UUID
  let company: UUID
  let user: UUID
  var checkpoint: Int64
  /// The number of the catalogue under which the device has read; see ``TypeCatalogue/resends``.
  var catalogue: Int64
  /// The keys of the scopes that the device has.
  var scopes: [String]
  /// The positions of scopes that are not complete up to the checkpoint, by key.
  var partial: [String: Int64]
  /// The checkpoints at which the device began to read partial scopes from 0, by key. A deletion up to there concerns
  /// no record that it has read, so the scope needs no deletions below.
  var begun: [String: Int64]

  /// The work that is done and that the device does not have; nil for a device that has all of it.
  var window: Window?

  /// The window of a device that keeps work that is done for some days.
  struct Window: Sendable, Hashable {
    let days: Int
    /// The time, in microseconds since 1970, before whose last change work that is done has left the device.
    var cutoff: Int64
    /// The end of the day of the pull: the device has no record that was created later.
    var seen: Int64
    /// The passage to a later time, if a page did not hold all that leaves the device.
    var passage: Passage?
  }

  /// The place at which the passage of a window continues.
  struct Passage: Sendable, Hashable {
    let cutoff: Int64
    /// The key of a scope, and the last record of it that left.
    let scope: String
    let record: UUID?
  }

  /// The position up to which the device has everything.
  var complete: Int64 { partial.values.reduce(checkpoint, min) }

  /// Returns the position of a scope; nil if the device does not have it yet.
  func position(of key: String) -> Int64? {
    partial[key] ?? (scopes.contains(key) ? checkpoint : nil)
  }

  /// The opaque form for clients: Base64 for URLs.
  var text: String {
    let parts = partial.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.integer($0.value)) }
    let beginnings = begun.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.integer($0.value)) }
    var document: JSONObject = [
      "e": .string(epoch.text), "k": .string(company.text), "u": .string(user.text),
      "c": .integer(checkpoint), "n": .integer(catalogue),
      "s": .strings(scopes), "p": .object(JSONObject(parts)),
    ]
    if !begun.isEmpty { document["b"] = .object(JSONObject(beginnings)) }
    if let window { document["w"] = .object(window.json) }
    return Base64.encode(Array(JSONValue.object(document).text.utf8), alphabet: .url)
  }

  init(epoch: UUID, company: UUID, user: UUID) {
    self.epoch = epoch
    self.company = company
    self.user = user
    checkpoint = 0
    catalogue = 0
    scopes = []
    partial = [:]
    begun = [:]
  }

  /// Parses a cursor.
  ///
  /// - Throws: `invalid_input` unless the text is a cursor.
  init(parsing text: String) throws(DomainError) {
    let refusal = DomainError(
      .invalidInput,
      "this is not a cursor of the synchronisation",
      hint: "send the cursor of the last answer, or none to begin"
    )
    guard text.utf8.count <= 65_536, let bytes = Base64.decode(text, alphabet: .url),
      let json = String(validating: bytes, as: UTF8.self),
      let document = try? JSONValue(parsing: json).object,  // refused below
      let epoch = document["e"]?.string.flatMap(UUID.init(text:)),
      let company = document["k"]?.string.flatMap(UUID.init(text:)),
      let user = document["u"]?.string.flatMap(UUID.init(text:)),
      let checkpoint = document["c"]?.number?.integer, checkpoint >= 0,
      let catalogue = document["n"]?.number?.integer,
      let scopes = document["s"]?.array?.compactMap(\.string), scopes.count <= 1_000,
      let partialMembers = document["p"]?.object
    else { throw refusal }
    self.epoch = epoch
    self.company = company
    self.user = user
    self.checkpoint = checkpoint
    self.catalogue = catalogue
    self.scopes = scopes
    partial = try Self.positions(partialMembers, or: refusal)
    begun = try Self.positions(document["b"]?.object ?? [:], or: refusal)
    window = try document["w"]?.object.map { json throws(DomainError) in
      guard let window = Window(json) else { throw refusal }
      return window
    }
  }

  private static func positions(_ object: JSONObject, or refusal: DomainError) throws(DomainError) -> [String:
    Int64]
  {
    var positions: [String: Int64] = [:]
    for (key, value) in object.members {
      guard let position = value.number?.integer, position >= 0 else { throw refusal }
      positions[key] = position
    }
    return positions
  }
}

extension SyncCursor.Window {
  fileprivate var json: JSONObject {
    var json: JSONObject = ["d": .integer(days), "t": .integer(cutoff), "n": .integer(seen)]
    guard let passage else { return json }
    json["p"] = .integer(passage.cutoff)
    json["s"] = .string(passage.scope)
    if let record = passage.record { json["r"] = .string(record.text) }
    return json
  }

  /// Returns nil for an object that is no window.
  fileprivate init?(_ json: JSONObject) {
    guard let days = json["d"]?.number?.integer, Devices.doneDays.contains(days),
      let cutoff = json["t"]?.number?.integer, Self.times.contains(cutoff),
      let seen = json["n"]?.number?.integer, Self.times.contains(seen)
    else { return nil }
    self.init(days: Int(days), cutoff: cutoff, seen: seen)
    guard let scope = json["s"]?.string else { return }
    guard let passage = json["p"]?.number?.integer, Self.times.contains(passage) else { return nil }
    let record = json["r"]?.string.flatMap { UUID(text: $0) }
    self.passage = SyncCursor.Passage(cutoff: passage, scope: scope, record: record)
  }

  /// The years 1970 to 9999, in microseconds.
  private static let times: ClosedRange<Int64> = 0...253_402_300_799_000_000
}
