import API
import Domain
import Engine
import EngineFixtures
import FettleClient
import FoundationEssentials
import Postgres
import Store
import Testing

/// Whatever a value is and whichever way it comes in, it is refused or stored so that it can be read again, and the
/// history that covers it is intact.
@Suite(.timeLimit(.minutes(60))) struct WrittenValuesTests {
  private struct Room {
    let api: APIFixture
    let caller: TestCaller
    var shop: Workshop { api.shop }
  }

  private static func open() async throws -> Room {
    let engine = try await ValuesApp.engine()
    let api = try await TestDevice.api(try await Workshop.open(in: engine))
    return Room(api: api, caller: try api.member("admin"))
  }

  /// Checks the history of everything, and reads every record in every way.
  private static func check(_ fixture: Room, written: Int) async throws {
    #expect(try await Integrity(shop: fixture.shop).faults(withNotices: false) == [])
    var (device, after, count) = (
      try await TestDevice.register(fixture.api, as: fixture.caller, app: nil), "", 0
    )
    repeat {
      let list = try await fixture.api.get("/v1/ledger/row?limit=200\(after)", as: fixture.caller)
      #expect(list.status == 200, "\(list.text.prefix(500))")
      count += list.items.count
      after = list.json["next"]?.string.map { "&after=\($0)" } ?? ""
      for item in list.items {
        let id = item["id"]?.string ?? ""
        let one = try await fixture.api.get("/v1/ledger/row/\(id)", as: fixture.caller)
        let history = try await fixture.api.get("/v1/ledger/row/\(id)/history", as: fixture.caller)
        #expect(one.status == 200 && history.status == 200, "\(one.text.prefix(500))")
      }
    } while !after.isEmpty
    let pulled = try await device.pull().filter { $0["type"]?.string == ValuesApp.type }
    #expect(pulled.count == count && count == written)
    // What the server's reader takes, that of the phones takes too.
    for change in pulled {
      #expect(throws: Never.self) { _ = try FieldValue(parsing: JSONValue.object(change).text) }
    }
  }

  /// Counts an answer, which must not be the server's fault.
  private static func isWritten(_ answer: TestAnswer, _ what: JSONObject) -> Bool {
    #expect(answer.status < 500, "\(JSONValue.object(what).text): \(answer.text)")
    return (200..<300).contains(answer.status)
  }

  @Test func `each value by a request of its own, and each as a change`() async throws {
    let fixture = try await Self.open()
    var (sample, written, refused) = (ValueSample(seed: 7), 0, 0)
    let base = try await fixture.api.post("/v1/ledger/row", ["name": "base"], as: fixture.caller)
    let id = try #require(base.json["id"]?.string)
    for number in 0..<300 {
      let field = sample.field()
      var fields = field
      fields["name"] = .string("row \(number)")
      let made = try await fixture.api.post("/v1/ledger/row", fields, as: fixture.caller)
      if Self.isWritten(made, fields) { written += 1 } else { refused += 1 }
      _ = Self.isWritten(
        try await fixture.api.patch("/v1/ledger/row/\(id)", field, as: fixture.caller),
        field
      )
    }
    #expect(written > 100 && refused > 20, "\(written) \(refused)")
    try await Self.check(fixture, written: written + 1)
    await fixture.shop.engine.close()
  }

  @Test func `values of batches and of the changes of a device`() async throws {
    let fixture = try await Self.open()
    var (sample, written) = (ValueSample(seed: 11), 0)
    var device = try await TestDevice.register(fixture.api, as: fixture.caller, app: nil)
    for number in 0..<120 {
      var fields = sample.field()
      fields["name"] = .string("row \(number)")
      let batch: JSONObject = [
        "operations": [
          ["op": "create", "type": .string(ValuesApp.type), "id": .id(UUID()), "fields": .object(fields)]
        ]
      ]
      if Self.isWritten(try await fixture.api.post("/v1/batch", batch, as: fixture.caller), batch) {
        written += 1
      }
      let id = UUID()
      fields = sample.field()
      fields["name"] = .string("change \(number)")
      let change: JSONObject = ["fields": .object(fields)]
      let pushed = try await device.push([device.change(ValuesApp.type, id, "create", change)])
      // A change with a value that cannot be stored is judged; one whose number is none is no change.
      guard Self.isWritten(pushed, change), pushed.kinds == ["applied"] else { continue }
      written += 1
      let next: JSONObject = ["fields": .object(sample.field()), "base_version": 1]
      _ = Self.isWritten(try await device.push([device.change(ValuesApp.type, id, "patch", next)]), next)
    }
    #expect(written > 100, "\(written)")
    try await Self.check(fixture, written: written)
    await fixture.shop.engine.close()
  }

  @Test func `values of files that are imported and applied`() async throws {
    let fixture = try await Self.open()
    var (sample, lines, records) = (ValueSample(seed: 13), [String](), [JSONValue]())
    for number in 0..<150 {
      var fields = sample.field()
      // PostgreSQL refuses what exceeds these columns, and with it the whole file.
      fields["small"] = nil
      fields["amount"] = nil
      fields["name"] = .string("line \(number)")
      lines.append(JSONValue.object(fields).text)
      fields = sample.field()
      fields["name"] = .string("record \(number)")
      records.append(.object(fields))
    }
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).jsonl").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try lines.joined(separator: "\n").write(toFile: path, atomically: false, encoding: .utf8)
    let outcome = try await RecordImporter(fixture.shop.engine.operators, fixture.shop.records).run(
      fixture.shop.operatorContext,
      path: path,
      plan: ImportPlan(type: ValuesApp.type, layout: FileLayout(format: .jsonl), skipsBad: true)
    )
    #expect(outcome.imported > 50, "\(outcome)")
    let provisioning = try await Provisioning.open(fixture.shop.engine.operators, operatorName: "tests") {
      _ in nil
    }
    var applied = 0
    // One file for each record: a file with one value that is refused is refused.
    for record in records {
      let file: JSONObject = [
        "companies": [fixture.shop.company.slug: ["records": [ValuesApp.type: [record]]]]
      ]
      do {
        let document = try YAMLDocument.decode(
          ProvisioningDocument.self,
          JSONValue.object(file).text,
          document: "file",
          userInfo: provisioning.userInfo
        )
        for plan in try await provisioning.plan(document, prunes: false) {
          try await provisioning.apply(plan, secrets: { _ in "" }) { _ in applied += 1 }
        }
      } catch let error as DomainError {
        #expect(error.category != .internal && error.category != .unavailable, "\(record.text): \(error)")
      } catch let error as PostgresError {
        // A number that the column cannot hold; commands and routes translate such an error.
        #expect(DomainError(error).category == .invalid, "\(record.text): \(error)")
      } catch is DecodingError {
        // YAML reads numbers and texts that JSON has no room for, and refuses others.
      }
    }
    #expect(applied > 50, "\(applied)")
    try await Self.check(fixture, written: outcome.imported + applied)
    await fixture.shop.engine.close()
  }

  @Test(arguments: ["4.6449833018609846e-60", "1e300", "0e-300", "1e-308"])
  func `a number with many zeros raises no alarm of altered history`(_ text: String) async throws {
    let fixture = try await Self.open()
    let number = JSONValue.number(try ExactDecimal(parsing: text))
    let fields: JSONObject = ["name": "n", "exact": number, "doc": ["list": [number]]]
    let made = try await fixture.api.post("/v1/ledger/row", fields, as: fixture.caller)
    #expect(made.status == 201, "\(made.text)")
    let id = try #require(made.json["id"]?.string)
    let changed = try await fixture.api.patch(
      "/v1/ledger/row/\(id)",
      ["exact": 2, "doc": .null],
      as: fixture.caller
    )
    #expect(changed.status == 200, "\(changed.text)")
    try await Self.check(fixture, written: 1)
    await fixture.shop.engine.close()
  }
}
