internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// The records that earlier imports made of the lines of a file.
///
/// A line is recognised by its name in another system, by its cells, or by what an earlier import could read of
/// them.
struct ImportRecognition {
  /// The number of ids per statement.
  private static let chunk = 10_000

  /// The records by the positions of their lines.
  private var records: [Int: UUID] = [:]
  /// The ids of lines whose own ids tombstones of undone imports have.
  private var renewed: [Int: UUID] = [:]
  private var gaps = ImportGaps()

  init(
    _ survey: ImportSurvey,
    _ type: RecordType,
    _ reader: ImportReader,
    _ acting: ActingContext,
    _ work: Work
  ) throws {
    let named = try Self.named(
      Set(survey.references.compactMap(\.self)),
      isDeleted: false,
      type,
      acting,
      work
    )
    for (index, name) in survey.references.enumerated() { records[index] = name.flatMap { named[$0] } }
    for start in stride(from: 0, to: survey.identities.count, by: Self.chunk) {
      let lines = survey.identities[start..<min(start + Self.chunk, survey.identities.count)]
      let found = try Set<UUID>(
        work.transaction.rows(
          type.existing(company: acting.company.id, among: lines.map(\.id) + lines.compactMap(\.former)),
          UUID.self
        )
      )
      if found.isEmpty { continue }
      let undone = try Self.undone(found, type, acting, work)
      var freed: [Int: UUID] = [:]
      for (index, line) in zip(lines.indices, lines) where records[index] == nil {
        let ids = [line.id, line.former].compactMap(\.self)
        records[index] = ids.first { found.contains($0) && !undone.contains($0) }
        if records[index] == nil, undone.contains(line.id) { freed[index] = line.id }
      }
      try renew(freed, type, acting, work)
    }
    // A record that was deleted after its import stays deleted.
    let missing = survey.references.enumerated().filter { records[$0.offset] == nil }.compactMap(\.element)
    let deleted = try Self.named(Set(missing), isDeleted: true, type, acting, work)
    let freed = try Self.undone(Set(deleted.values), type, acting, work)
    for (index, name) in survey.references.enumerated() where records[index] == nil {
      records[index] = name.flatMap { deleted[$0] }.flatMap { freed.contains($0) ? nil : $0 }
    }
    if records.count < survey.good {
      gaps = try ImportGaps(type, reader.targets, besides: Set(records.values), acting, work)
    }
  }

  /// Finds the ids of lines whose records were removed with an import: each has an id of its own after every undoing,
  /// because tombstones stay.
  private mutating func renew(
    _ freed: [Int: UUID],
    _ type: RecordType,
    _ acting: ActingContext,
    _ work: Work
  ) throws {
    var left = freed
    var round = 0
    while !left.isEmpty {
      round += 1
      let ids = left.mapValues { id in
        UUID.deterministic(
          namespace: "fettle.import.again",
          parts: [Array(id.text.utf8), Array(String(round).utf8)]
        )
      }
      let found = try Set<UUID>(
        work.transaction.rows(type.existing(company: acting.company.id, among: Array(ids.values)), UUID.self)
      )
      let undone = try Self.undone(found, type, acting, work)
      for (index, id) in ids where !undone.contains(id) {
        if found.contains(id) { records[index] = id } else { renewed[index] = id }
        left[index] = nil
      }
    }
  }

  /// Returns those of some records that were removed with an import.
  private static func undone(
    _ ids: Set<UUID>,
    _ type: RecordType,
    _ acting: ActingContext,
    _ work: Work
  ) throws -> Set<UUID> {
    guard !ids.isEmpty else { return [] }
    return Set(
      try work.transaction.rows(
        ImportStore.undone(Array(ids), of: type, company: acting.company.id),
        UUID.self
      )
    )
  }

  /// Returns the id for the new record of a line, if its own was removed with an import; nil otherwise.
  func newID(_ position: Int) -> UUID? { renewed[position] }

  /// True if earlier imports left records incomplete.
  var hasGaps: Bool { !gaps.isEmpty }

  /// Returns the record with the name or the id of a line; nil if there is none.
  ///
  /// - Parameter position: the position among the good lines of the file.
  func record(_ position: Int) -> UUID? { records[position] }

  /// Returns the incomplete record of a line, once; nil if no such record is the line's.
  mutating func take(_ line: ImportLine, _ cells: [String?]) -> UUID? { gaps.take(line, cells) }

  private static func named(
    _ names: Set<String>,
    isDeleted: Bool,
    _ type: RecordType,
    _ acting: ActingContext,
    _ work: Work
  ) throws -> [String: UUID] {
    guard !names.isEmpty else { return [:] }
    let deleted: SQL = isDeleted ? "not null" : "null"
    let rows = try work.transaction.rows(
      """
      select t.external_ref, t.id from \(type.table) t
      where t.company_id = \(acting.company.id) and t.external_ref = any (\(Array(names)))
        and t.deleted_at is \(deleted)
      order by t.created_at, t.id
      """,
      String.self,
      UUID.self
    )
    return Dictionary(rows) { _, last in last }
  }
}
