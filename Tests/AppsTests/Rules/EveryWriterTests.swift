import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Every writer leaves the same: over all types and verbs, a change is refused with the same code, or has the same row,
/// history, timers, jobs and feed, whether it comes alone, in a batch, over a filter, from a device or from a file.
@Suite(.timeLimit(.minutes(60))) struct EveryWriterTests {
  /// What became of one change.
  private struct Cell: Sendable {
    let step: String
    let code: ErrorCode?
    let row: JSONObject?
    var traces: [String]
  }

  /// A change of a record, with the code by which everybody is refused.
  private struct Step {
    let name: String
    let operation: RecordOperation
    var refusal: ErrorCode?
  }

  @Test func `all writers refuse and write the same`() async throws {
    let tables = try await withThrowingTaskGroup(of: (Writer, [String: Cell]).self) { group in
      for writer in Writer.allCases { group.addTask { (writer, try await table(writer)) } }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for (writer, table) in tables {
      for (name, cell) in table {
        guard writer != writer.measure else { continue }
        let expected = try #require(tables[writer.measure]?[name])
        #expect(cell.code == expected.code, "\(name), by \(writer)")
        let different = Self.columns(in: cell.row, notIn: expected.row)
        #expect(different == [], "\(name), by \(writer)")
        #expect(told(cell, by: writer) == told(expected, by: writer), "\(name), by \(writer)")
      }
      print("\(writer): \(table.count) cells, \(table.values.count { $0.code != nil }) of them refused")
    }
    let cells = tables.values.reduce(0) { $0 + $1.count }
    let refused = tables.values.reduce(0) { $0 + $1.values.count { $0.code != nil } }
    print("writers: \(cells) cells of types, verbs and writers, \(refused) of them refused")
    #expect(cells > 2_000 && refused > 1_500)
  }

  /// Returns the cells of a writer by type and step.
  private func table(_ writer: Writer) async throws -> [String: Cell] {
    let house = try await House.open()
    try await house.subscribe()
    let (types, rows) = (house.records.catalogue.types, TypeRow.all(house))
    #expect(Set(types.map(\.name)).isSubset(of: rows.map(\.type)), "a type has no row")
    let provisioned = Set(try await house.provisioning().recordTypes)
    var table: [String: Cell] = [:]
    for var row in rows where writer.isOwner || provisioned.contains(row.type) {
      let type = try house.records.catalogue.type(row.type)
      // A provisioning file names records by their key.
      if let key = type.definition.key.last, !row.new.isEmpty, row.new[key] == nil { row.new[key] = "K-1" }
      for cell in try await cells(row, type, in: house, by: writer) {
        table["\(row.type) \(cell.step)"] = cell
      }
    }
    #expect(try await Integrity(shop: house.shop).faults() == [], "by \(writer)")
    return table
  }

  /// Tries refused creations; then creates a record, edits it, tries each of its transitions, deletes and restores it.
  private func cells(_ row: TypeRow, _ type: RecordType, in house: House, by writer: Writer) async throws
    -> [Cell]
  {
    var cells: [Cell] = []
    var steps = try await refusals(row, type, house)[...]
    var id = UUID()
    if !row.new.isEmpty { steps += Self.life(row, type, id) }
    var before: [String] = []
    while let step = steps.popFirst() {
      // A creation that was made already is a repetition, except for single commands and batches. Devices are told of
      // deletions; a new key in a provisioning file is a new record, and so is a new id in an import.
      let own: Set<String> =
        switch writer {
        case .single, .byOperator, .batch, .filter: []
        case .device: ["create again", "edit after deletion"]
        case .file, .provisioning: ["create again", "edit of nothing"]
        }
      var isSaid = writer.can(step.operation, type) && !own.contains(step.name)
      var code: ErrorCode?
      do {
        if isSaid { isSaid = try await house.perform(step.operation, by: writer) }
        // What a writer cannot say is done alone, so that the next steps begin with the same record.
        if !isSaid, step.refusal == nil { _ = try await house.perform(step.operation, by: writer.measure) }
      } catch let error as DomainError {
        code = error.code
      }
      if isSaid, step.name == "create", writer.choosesIDs, code == nil {
        id = try #require(try await house.stored(row.type, nil)["id"]?.string.flatMap(UUID.init(uuidString:)))
        steps = Self.life(row, type, id).suffix(steps.count)
      }
      guard isSaid || step.refusal == nil else { continue }
      let record = step.name == "create" ? id : step.operation.subject.id
      if let refusal = step.refusal { #expect(code == refusal, "\(row.type) \(step.name), by \(writer)") }
      let document = try await house.stored(row.type, record)
      if writer == .single, step.name == "create" {
        for column in row.computed { #expect(document[column]?.isNull == false, "\(row.type).\(column)") }
      }
      let (cell, all) = try await (
        Cell(step: step.name, code: code, row: document.isEmpty ? nil : Self.told(document, row), traces: []),
        traces(of: record, house)
      )
      if isSaid {
        cells.append(cell)
        cells[cells.count - 1].traces = Self.added(all, to: before)
      }
      if record == id { before = all }
    }
    return cells
  }

  /// The refusals of the row, and those that follow from the columns: texts that are too long, references to nothing,
  /// missing values, and a column that does not exist.
  private func refusals(_ row: TypeRow, _ type: RecordType, _ house: House) async throws -> [Step] {
    func step(_ name: String, _ fields: JSONObject, _ code: ErrorCode) -> Step {
      Step(name: name, operation: .create(type: row.type, id: UUID(), fields: fields), refusal: code)
    }
    var steps = row.refused.map { step($0.name, Self.replacing(row.new, $0.fields), $0.code) }
    guard !row.new.isEmpty else { return steps }
    steps.append(step("another column", Self.replacing(row.new, ["no_such_column": "1"]), .unknownFields))
    for name in type.definition.creatable {
      guard let column = type.column(name) else { continue }
      if column.kind == .text {
        let long = String(repeating: "x", count: (type.definition.limits[name] ?? 10_000) + 1)
        steps.append(step("long \(name)", Self.replacing(row.new, [name: .string(long)]), .valueTooLong))
      }
      guard type.required.contains(name), row.new[name] != nil else { continue }
      let fields = Self.replacing(row.new, [name: nil])
      do {
        _ = try await house.records.create(house.acting, type: row.type, fields: fields, dryRun: true)
      } catch let error as DomainError {
        // Otherwise the rule computes it.
        steps.append(step("no \(name)", fields, error.code))
      }
    }
    for reference in type.definition.references where type.definition.creatable.contains(reference.column) {
      let fields = Self.replacing(row.new, [reference.column: .id(UUID())])
      steps.append(step("nothing as \(reference.column)", fields, .notFound))
    }
    return steps
  }

  private static func life(_ row: TypeRow, _ type: RecordType, _ id: UUID) -> [Step] {
    let name = row.type
    func edit(_ step: String, _ fields: JSONObject, of id: UUID, _ version: Int64? = nil) -> Step {
      Step(name: step, operation: .update(type: name, id: id, fields: fields, version: version))
    }
    var steps = [
      Step(name: "create", operation: .create(type: name, id: id, fields: row.new)),
      Step(name: "create again", operation: .create(type: name, id: id, fields: row.new)),
    ]
    let back = row.change.keys.compactMap { key in row.new[key].map { (key, $0) } }
    if !row.change.isEmpty {
      steps.append(edit("edit of another column", ["no_such_column": 1], of: id))
      steps.append(edit("edit of nothing", row.change, of: UUID()))
      steps.append(edit("edit of another version", row.change, of: id, 7))
      for (name, fields, code) in row.refusedChanges {
        steps.append(edit("edit, \(name)", fields, of: id))
        steps[steps.count - 1].refusal = code
      }
      steps.append(edit("edit", row.change, of: id))
    }
    for transition in type.workflow?.transitions ?? [] {
      for comment in [nil, Writer.comment] {
        let request = TransitionRequest(transition.name, comment: comment)
        steps.append(
          Step(
            name: "\(transition.name) \(comment ?? "")",
            operation: .transition(type: name, id: id, request: request)
          )
        )
      }
    }
    if !back.isEmpty { steps.append(edit("edit at the end", JSONObject(back), of: id)) }
    steps.append(Step(name: "delete", operation: .delete(type: name, id: id, comment: "wrong")))
    if !row.change.isEmpty { steps.append(edit("edit after deletion", row.change, of: id)) }
    steps.append(Step(name: "restore", operation: .restore(type: name, id: id)))
    steps.append(Step(name: "create without fields", operation: .create(type: name, id: UUID(), fields: [:])))
    return steps
  }

  /// Returns fields with some replaced; null leaves one out.
  private static func replacing(_ fields: JSONObject, _ others: JSONObject) -> JSONObject {
    var result = fields
    for (name, value) in others.members { result[name] = value.isNull ? JSONValue?.none : value }
    return result
  }

  /// Returns the history, timers, jobs and feed of a record, without ids, times and hashes.
  private func traces(of id: UUID, _ house: House) async throws -> [String] {
    let company = house.shop.company.id
    return try await house.shop.engine.superuser.rows(
      """
      select x.trace from (
        select 1 as part, h.seq as place,
          concat_ws('|', 'history ' || h.kind, h.seq, h.version, h.transition, h.from_status, h.to_status,
            h.actor_kind, h.actor_name, h.on_behalf_of is null, h.comment, h.definition_version,
            length(h.comment_digest), length(h.changes_digest), coalesce(
              (select string_agg(k || ':' || jsonb_typeof(v -> 0) || '>' || jsonb_typeof(v -> 1), ',' order by k)
               from jsonb_each(h.changes) e (k, v)), '')) as trace
        from core.history h
        where h.company_id = \(company) and h.record_id = \(id)
        union all
        select 2, t.entry_no, concat_ws(' ', 'timer', t.entry_no, t.fire, t.repeat_every, t.remaining)
        from core.timer t
        where t.company_id = \(company) and t.record_id = \(id)
        union all
        select 3, 0, 'job ' || j.kind || ' ' || (p.payload - '{record_id,webhook_id,actor,queued_at}'::text[])::text
        from core.job j
        join core.job_payload p on p.company_id = j.company_id and p.job_id = j.id
        where p.company_id = \(company) and p.cause_id = \(id)
        union all
        select 4, 0, concat_ws(' ', 'feed', f.version, f.op, split_part(f.scope, '/', 1))
        from core.feed f
        where f.company_id = \(company) and f.record_id = \(id)
      ) x
      order by x.part, x.place, x.trace
      """,
      String.self
    )
  }

  /// Leaves out the jobs that were there before.
  private static func added(_ all: [String], to before: [String]) -> [String] {
    var known = before.filter { $0.hasPrefix("job ") }
    return all.filter { trace in
      guard let index = known.firstIndex(of: trace) else { return true }
      known.remove(at: index)
      return false
    }
  }

  /// Returns the traces of a cell as far as a writer leaves them. The first entry of an imported record names the line
  /// instead of the fields; its follow-ups were those of the source system, so it has no job and no timer.
  private func told(_ cell: Cell, by writer: Writer) -> [String] {
    guard writer == .file else { return cell.traces }
    return cell.traces.compactMap { trace in
      if trace.hasPrefix("timer 1 ") || cell.step == "create" && trace.hasPrefix("job ") { return nil }
      let parts = trace.split(separator: "|", omittingEmptySubsequences: false)
      guard parts.count > 1, parts[1] == "1" else { return trace }
      return (["history"] + parts.dropFirst().dropLast().map(String.init)).joined(separator: "|")
    }
  }

  /// Returns the columns of two rows that differ, with both values.
  private static func columns(in row: JSONObject?, notIn other: JSONObject?) -> [String] {
    Set((row?.keys ?? []) + (other?.keys ?? [])).sorted().filter { row?[$0] != other?[$0] }.map {
      "\($0): \(row?[$0]?.text ?? "-"), not \(other?[$0]?.text ?? "-")"
    }
  }

  /// The members of a row with a word in the place of each time and id. Numbers and hashes, which differ from record to
  /// record, are left out, and so is the device of the last change.
  private static func told(_ record: JSONObject, _ row: TypeRow) -> JSONObject {
    let own = row.volatile.union(NumberRule.columns + ["history_hash", "origin_device"])
    return JSONObject(
      record.members.filter { !own.contains($0.key) }.map { name, value in
        guard let text = value.string else { return (name, value) }
        if UUID(uuidString: text) != nil { return (name, "an id") }
        return (name, Instant(rfc3339: text) == nil ? value : "a time")
      }
    )
  }
}
