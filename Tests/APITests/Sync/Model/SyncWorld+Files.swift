import API
import Domain
import Engine
import EngineFixtures
import FettleClient
import FoundationEssentials
import Postgres
import Secrets
import Store
import SyncProtocol
import TestDatabase
import TestTools

/// Photos that phones attach, and records that others are computed from.
extension SyncWorld {
  /// Adds a photo to a record on a phone.
  mutating func photograph(_ index: Int, _ generator: inout SeededRandom) async throws {
    let client = phones[index].client
    guard let record = try await record(client, &generator) else { return }
    let bytes = FileShop.fakePhoto(
      Int.random(in: 200...3_000, using: &generator),
      seed: UInt8.random(in: 0...40, using: &generator)
    )
    let file = try await client.attach(Self.type, record, bytes)
    photos[file] = SHA256.hash(bytes)
  }

  /// Writes hours down for an entry, without a phone.
  mutating func log(_ generator: inout SeededRandom) async throws {
    guard let entry = try await shownEntry(&generator) else { return }
    let hour = Int.random(in: 10...20, using: &generator)
    let fields: JSONObject = [
      "entry_id": .string(entry), "user_id": .string(phones[0].member.userID.text), "user_name": "Ana",
      "work_date": .string("2026-01-\(Int.random(in: 10...28, using: &generator))"), "start_time": "08:00",
      "end_time": .string("\(hour):00"),
    ]
    _ = try await api.post("/v1/maintenance/time_entry", fields, as: phones[0].caller)
  }

  /// Renames the machine or the category of all entries, without a phone.
  mutating func rename(_ generator: inout SeededRandom) async throws {
    let word = Self.word(&generator)
    if Bool.random(using: &generator) {
      let path = "/v1/maintenance/machine/\(api.shop.machine.text)"
      _ = try await api.patch(path, ["code": .string(word)], as: phones[0].caller)
    } else {
      let path = "/v1/maintenance/category/\(api.shop.category.text)"
      _ = try await api.patch(path, ["name": .string(word)], as: phones[0].caller)
    }
  }

  private func shownEntry(_ generator: inout SeededRandom) async throws -> String? {
    let list = try await api.get("/v1/maintenance/entry?limit=200", as: phones[0].caller)
    return list.items.compactMap { $0["id"]?.string }.sorted().randomElement(using: &generator)
  }

  /// Requires that everything that waits after a synchronisation says for what.
  mutating func checkWaiting(_ phone: ModelPhone) async throws {
    for item in try await phone.client.waiting where item.reason == nil {
      problems.append("\(phone.name): \(item.id) waits for no reason")
    }
  }

  /// Requires that every photo whose change was applied is on its record, with its bytes, and that nobody waits for
  /// others.
  mutating func checkPhotos() async throws {
    let rows = try await api.shop.engine.superuser.rows(
      """
      select a.id, a.state, a.original_sha256, a.deleted_at is not null from core.attachment a
      where a.company_id = \(api.shop.company.id)
      """,
      UUID.self,
      String.self,
      [UInt8]?.self,
      Bool.self
    )
    let stored = Dictionary(rows.map { ($0.0, (state: $0.1, digest: $0.2, isDeleted: $0.3)) }) { first, _ in
      first
    }
    for (id, file) in stored where file.state == "awaited" && !file.isDeleted {
      problems.append("the bytes of the file \(id.text) never arrive")
    }
    for phone in phones {
      for change in try await phone.client.changes {
        guard change.status == .synced, let file = change.file else { continue }
        guard let found = stored[file] else {
          problems.append("\(phone.name): the file \(file.text) is lost")
          continue
        }
        if !found.isDeleted, found.digest != photos[file] {
          problems.append("\(phone.name): the file \(file.text) has other bytes")
        }
      }
    }
  }

  /// Requires that a store has every column of every record as the API shows it.
  mutating func checkColumns(_ phone: ModelPhone) async throws {
    guard !phone.isOut else { return }
    for type in api.services.catalogue.current.types where type.app == "maintenance" {
      let path = "/v1/\(type.name.split(separator: ".").joined(separator: "/"))"
      let list = try await api.get("\(path)?limit=200", as: phone.caller)
      guard list.status == 200 else { continue }
      let shown = Dictionary(list.items.map { ($0["id"]?.string ?? "", $0) }) { first, _ in first }
      let stored = try await phone.client.all(type.name)
      let (mine, theirs) = (Set(stored.map(\.id.text)), Set(shown.keys))
      let stale = try await stale(phone)
      let (less, more) = (
        theirs.subtracting(mine).subtracting(stale).sorted(), mine.subtracting(theirs).sorted()
      )
      if !less.isEmpty || !more.isEmpty {
        problems.append("\(phone.name): \(type.name) lacks \(less) and has \(more)")
      }
      for record in stored {
        let columns = Set((shown[record.id.text]?.keys ?? []) + record.fields.keys)
          .subtracting(type.definition.clock + ["allowed"])
        for name in columns.sorted() {
          let api = shown[record.id.text]?[name]?.text ?? "null"
          let phoned = record[name]?.description ?? "null"
          if api != phoned, !phone.isBrowser || Double(api) == nil || Double(api) != Double(phoned) {
            problems.append("\(phone.name): \(type.name) \(record.id.text) \(name) \(phoned), not \(api)")
          }
        }
      }
    }
  }
}
