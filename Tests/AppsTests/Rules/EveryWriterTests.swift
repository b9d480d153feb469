import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Every writer leaves the same: over all types and verbs, a change is refused with the same code, or has the same row,
/// history, timers, jobs and feed, whether it comes alone, in a batch, over a filter or from a device.
@Suite(.timeLimit(.minutes(30))) struct EveryWriterTests {
  private enum Writer: String, CaseIterable {
    case single, batch, filter, device
  }

  /// What became of one change.
  private struct Cell: Equatable {
    let code: ErrorCode?
    let row: JSONObject?
    let traces: [String]
  }

  @Test func `single changes, batches, filters and devices write the same`() async throws {
    var expected: [String: Cell] = [:]
    var (cells, refused) = (0, 0)
    for writer in Writer.allCases {
      let house = try await House.open()
      for row in TypeRow.all(house) where !row.new.isEmpty {
        let type = try house.records.catalogue.type(row.type)
        for (step, cell) in try await lifeOfRecord(row, type, in: house, by: writer) {
          let name = "\(row.type) \(step)"
          if writer == .single {
            expected[name] = cell
          } else {
            #expect(cell.code == expected[name]?.code, "\(name), by \(writer)")
            #expect(cell.row == expected[name]?.row, "\(name), by \(writer)")
            #expect(cell.traces == expected[name]?.traces, "\(name), by \(writer)")
          }
          cells += 1
          if cell.code != nil { refused += 1 }
        }
      }
      #expect(try await Integrity(shop: house.shop).faults() == [])
    }
    print("writers: \(cells) cells of types, verbs and writers, \(refused) of them refused")
    #expect(cells > 400 && refused > 100)
  }

  /// Creates a record, edits it, tries each of its transitions, deletes and restores it.
  private func lifeOfRecord(
    _ row: TypeRow,
    _ type: RecordType,
    in house: House,
    by writer: Writer
  ) async throws -> [(step: String, cell: Cell)] {
    let (name, id) = (row.type, UUID())
    var steps: [(String, RecordOperation)] = [
      ("create without fields", .create(type: name, id: UUID(), fields: [:])),
      ("create", .create(type: name, id: id, fields: row.new)),
      ("create again", .create(type: name, id: id, fields: row.new)),
      ("edit of another column", .update(type: name, id: id, fields: ["no_such_column": 1])),
      ("edit of nothing", .update(type: name, id: UUID(), fields: row.change)),
    ]
    if !row.change.isEmpty { steps.append(("edit", .update(type: name, id: id, fields: row.change))) }
    for transition in type.workflow?.transitions ?? [] {
      for comment in [nil, "why"] {
        let request = TransitionRequest(transition.name, comment: comment)
        steps.append(
          ("\(transition.name) \(comment ?? "")", .transition(type: name, id: id, request: request))
        )
      }
    }
    steps.append(("delete", .delete(type: name, id: id, comment: "wrong")))
    steps.append(("edit after deletion", .update(type: name, id: id, fields: row.change)))
    steps.append(("restore", .restore(type: name, id: id)))
    var cells: [(String, Cell)] = []
    for (step, operation) in steps where !row.change.isEmpty || !step.hasPrefix("edit") {
      // What a writer cannot say is done alone, so that the next steps begin with the same record.
      // A device's creation that was made already is a repetition, and it is told of deletions.
      let isOwn = writer == .device && ["create again", "edit after deletion"].contains(step)
      let isSayable = Self.can(writer, operation, type) && !isOwn
      let code = try await perform(operation, in: house, by: isSayable ? writer : .single)
      guard isSayable else { continue }
      cells.append((step, try await cell(code, operation, type, row, in: house)))
    }
    return cells
  }

  /// True if a writer has words for an operation, and the type's policy does not answer in its own way.
  private static func can(_ writer: Writer, _ operation: RecordOperation, _ type: RecordType) -> Bool {
    switch (writer, operation) {
    case (.single, _), (.batch, _): true
    case (.filter, .transition): true
    case (.filter, _), (.device, .restore): false
    case (.device, .create): type.definition.sync != .serverOnly
    case (.device, .update), (.device, .delete), (.device, .transition):
      type.definition.sync != .serverOnly && type.definition.sync != .appendOnly
    case (.device, .attach): false
    }
  }

  /// Performs an operation; nil if it is accepted.
  private func perform(_ operation: RecordOperation, in house: House, by writer: Writer) async throws
    -> ErrorCode?
  {
    let (records, acting) = (house.records, house.acting)
    do {
      switch (writer, operation) {
      case (.batch, _): _ = try await records.apply(acting, [operation])
      case (.filter, .transition(let type, let id, let request)):
        var query = RecordQuery()
        query.filters = [("id", id.text)]
        let outcome = try await records.transitionAll(acting, type: type, where: query, request: request)
        return outcome.items.isEmpty ? .notFound : outcome.items[0].code
      case (.device, _):
        // A device whose change was refused waits for a decision about the record.
        let (type, id) = operation.subject
        let mutation = Self.mutation(operation, try await house.version(of: operation))
        return try await house.sendOnce((type, id, mutation))
      case (_, .create(let type, let id, let fields)):
        _ = try await records.create(acting, type: type, id: id, fields: fields)
      case (_, .update(let type, let id, let fields, _)):
        _ = try await records.update(acting, type: type, id: id, fields: fields)
      case (_, .transition(let type, let id, let request)):
        _ = try await records.transition(acting, type: type, id: id, request: request)
      case (_, .delete(let type, let id, _, let comment)):
        _ = try await records.delete(acting, type: type, id: id, comment: comment)
      case (_, .restore(let type, let id)): _ = try await records.restore(acting, type: type, id: id)
      case (_, .attach): break
      }
      return nil
    } catch let error as DomainError {
      return error.code
    }
  }

  private static func mutation(_ operation: RecordOperation, _ version: Int64) -> JSONObject {
    switch operation {
    case .create(_, _, let fields): ["op": "create", "fields": .object(fields)]
    case .update(_, _, let fields, _):
      ["op": "patch", "fields": .object(fields), "base_version": .integer(max(version, 1))]
    case .transition(_, _, let request):
      JSONObject(
        [("op", "transition"), ("transition", .string(request.transition))]
          + (request.comment.map { [("comment", .string($0))] } ?? [])
      )
    case .delete(_, _, _, let comment): ["op": "delete", "comment": comment.map { .string($0) } ?? .null]
    case .restore, .attach: [:]
    }
  }

  /// Returns what the record is afterwards, without ids, times and hashes.
  private func cell(
    _ code: ErrorCode?,
    _ operation: RecordOperation,
    _ type: RecordType,
    _ row: TypeRow,
    in house: House
  ) async throws -> Cell {
    let id = operation.subject.id
    let traces = try await house.shop.hall.superuser.rows(
      """
      select concat_ws('|', h.kind, h.seq, h.version, h.transition, h.from_status, h.to_status, h.actor_kind, h.actor_name,
        h.comment, h.definition_version, length(h.comment_digest), length(h.changes_digest),
        (select string_agg(k || ':' || jsonb_typeof(v -> 0) || '>' || jsonb_typeof(v -> 1), ',' order by k)
         from jsonb_each(h.changes) e (k, v)),
        (select string_agg(t.fire || t.entry_no || coalesce(t.repeat_every::text, '') || coalesce(t.remaining, 0), ','
           order by t.fire, t.entry_no)
         from core.timer t where t.company_id = h.company_id and t.record_id = h.record_id),
        (select string_agg(j.kind || ' ' || (p.payload - '{record_id,webhook_id,actor,queued_at}'::text[])::text, ','
           order by j.kind, p.payload::text)
         from core.job j join core.job_payload p on p.company_id = j.company_id and p.job_id = j.id
         where p.company_id = h.company_id and p.cause_id = h.record_id),
        (select f.version::text || f.op || split_part(f.scope, '/', 1) from core.feed f
         where f.company_id = h.company_id and f.record_id = h.record_id))
      from core.history h
      where h.company_id = \(house.shop.company.id) and h.record_id = \(id)
      order by h.seq
      """,
      String.self
    )
    let document = try await house.stored(row.type, id)
    return Cell(
      code: code,
      row: document.isEmpty ? nil : Self.withoutTimes(row.comparable(document, type)),
      traces: traces
    )
  }

  /// The members with a word in the place of each time and id, which differ from record to record.
  private static func withoutTimes(_ row: JSONObject) -> JSONObject {
    JSONObject(
      row.members.map { name, value in
        guard let text = value.string else { return (name, value) }
        if UUID(uuidString: text) != nil { return (name, "an id") }
        return (name, Instant(rfc3339: text) == nil ? value : "a time")
      }
    )
  }
}
