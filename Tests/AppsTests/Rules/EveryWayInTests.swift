import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// What a single command refuses, every other way in refuses with the same code; what it computes, they compute.
@Suite(.timeLimit(.minutes(30))) struct EveryWayInTests {
  /// The fields of a refused record, with the code by which a single command refuses them.
  private typealias Case = TypeRow.Refusal

  @Test func `every way in passes the rules of every type`() async throws {
    var made: [String: JSONObject] = [:]
    var changed: [String: JSONObject] = [:]
    for way in WayIn.allCases {
      let house = try await House.open()
      let types = house.records.catalogue.types
      let rows = TypeRow.all(house)
      #expect(Set(types.map(\.name)).isSubset(of: rows.map(\.type)), "a type has no row")
      for row in rows {
        guard let type = types.first(where: { $0.name == row.type }) else { continue }
        guard way != .device || type.definition.sync != .serverOnly else { continue }
        try await check(row, type, in: house, by: way, &made, &changed)
      }
    }
  }

  private func check(
    _ row: TypeRow,
    _ type: RecordType,
    in house: House,
    by way: WayIn,
    _ made: inout [String: JSONObject],
    _ changed: inout [String: JSONObject]
  ) async throws {
    // A file needs a column.
    for refusal in try await cases(row, type, house) where way != .file || !refusal.fields.isEmpty {
      let code = await code { _ = try await house.create(row.type, refusal.fields, by: way) }
      #expect(code == refusal.code, "\(row.type), \(refusal.name), by \(way)")
    }
    guard !row.new.isEmpty else { return }
    let record = try await house.create(row.type, row.new, by: way)
    for column in row.computed {
      #expect(record[column]?.isNull == false, "\(row.type).\(column), by \(way)")
    }
    if way == .command { made[row.type] = record }
    let (first, own) = (made[row.type].map { row.comparable($0, type) }, row.comparable(record, type))
    #expect(own == first, "\(row.type), by \(way)")
    guard !row.change.isEmpty, way != .device || type.definition.sync != .appendOnly else { return }
    for refusal in row.refusedChanges {
      let code = await code {
        _ = try await house.change(row.type, record, refusal.fields, by: way, isRefused: true)
      }
      #expect(code == refusal.code, "change of \(row.type), \(refusal.name), by \(way)")
    }
    let after = try await house.change(row.type, record, row.change, by: way)
    if way == .command { changed[row.type] = after }
    #expect(
      row.comparable(after, type) == changed[row.type].map { row.comparable($0, type) },
      "change of \(row.type), by \(way)"
    )
  }

  /// The refusals of the row, and those that follow from the columns: texts that are too long, references to nothing and
  /// to deleted records, missing values, and a column that does not exist.
  private func cases(_ row: TypeRow, _ type: RecordType, _ house: House) async throws -> [Case] {
    var cases = row.refused.map { ($0.name, Self.replacing(row.new, $0.fields), $0.code) } as [Case]
    guard !row.new.isEmpty else { return cases }
    cases.append(("another column", Self.replacing(row.new, ["no_such_column": "1"]), .unknownFields))
    for name in type.definition.creatable {
      guard let column = type.column(name) else { continue }
      if column.kind == .text {
        let long = String(repeating: "x", count: (type.definition.limits[name] ?? 10_000) + 1)
        cases.append(("long \(name)", Self.replacing(row.new, [name: .string(long)]), .valueTooLong))
      }
      if type.required.contains(name), row.new[name] != nil {
        let fields = Self.replacing(row.new, [name: nil])
        guard
          let code = await code({
            _ = try await house.records.create(house.acting, type: row.type, fields: fields, dryRun: true)
          })
        else { continue }  // the rule computes it
        cases.append(("no \(name)", fields, code))
      }
    }
    for reference in type.definition.references where type.definition.creatable.contains(reference.column) {
      let fields = Self.replacing(row.new, [reference.column: .id(UUID())])
      cases.append(("nothing as \(reference.column)", fields, .notFound))
    }
    return cases
  }

  /// Returns fields with some replaced; null leaves one out.
  private static func replacing(_ fields: JSONObject, _ others: JSONObject) -> JSONObject {
    var result = fields
    for (name, value) in others.members { result[name] = value.isNull ? JSONValue?.none : value }
    return result
  }

  private func code(_ body: () async throws -> Void) async -> ErrorCode? {
    do {
      try await body()
      return nil
    } catch let error as DomainError {
      return error.code
    } catch {
      Issue.record(error)
      return nil
    }
  }
}
