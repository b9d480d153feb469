import API
import Domain
import Engine
import EngineFixtures
import FettleClient
import FoundationEssentials
import Store
import Synchronization
import TestTools

/// The time of the windows of phones, which the model moves.
final class Weeks: Sendable {
  private let passed = Mutex<Int64>(0)
  private static let week: Int64 = 7 * 86_400 * 1_000_000

  func pass(_ count: Int) { passed.withLock { $0 += Int64(count) * Self.week } }

  func time(_ now: Instant) -> Instant {
    Instant(microseconds: now.microseconds + passed.withLock(\.self))
  }
}

/// Phones that keep work that is done for some days.
extension SyncWorld {
  mutating func chooseWindow(_ index: Int, _ generator: inout SeededRandom) async throws {
    phones[index].doneDays = [nil, 7, 21, 60].randomElement(using: &generator) ?? nil
    try await phones[index].reopen()
  }

  /// The records that a phone need not have: work that is done and unchanged for longer than its days, and its parts,
  /// unless something else names them. Said once more in other words than the server's statements.
  func stale(_ phone: ModelPhone) async throws -> Set<String> {
    guard let days = phone.doneDays else { return [] }
    var records: [(type: RecordType, json: JSONObject)] = []
    for type in api.services.catalogue.current.types where type.app == "maintenance" {
      let path = "/v1/\(type.name.split(separator: ".").joined(separator: "/"))"
      let list = try await api.get("\(path)?limit=200", as: phone.caller)
      records += list.items.map { (type, $0) }
    }
    let byID = Dictionary(records.map { ($0.json["id"]?.string ?? "", $0) }) { first, _ in first }
    let day: Int64 = 86_400_000_000
    let now = weeks.time(Instant(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)))
    let cutoff = (now.microseconds / day - Int64(days)) * day
    func isOld(_ record: (type: RecordType, json: JSONObject)) -> Bool {
      let changed = record.json["updated_at"]?.string.flatMap { try? Instant(parsing: $0) }
      guard let changed, changed.microseconds < cutoff else { return false }
      if record.type.workflow != nil {
        return ["done", "failed"].contains(record.json["status_category"]?.string)
      }
      let whole = record.type.definition.references.first { $0.onDelete == .cascade }
      return whole.flatMap { record.json[$0.column]?.string }.flatMap { byID[$0] }.map(isOld) ?? false
    }
    var named: Set<String> = []
    for record in records where !isOld(record) {
      named.formUnion(record.type.definition.references.compactMap { record.json[$0.column]?.string })
    }
    return Set(records.filter(isOld).compactMap { $0.json["id"]?.string }).subtracting(named)
  }
}
