import Domain
import EngineFixtures
import FettleClient
import FoundationEssentials
import Postgres
import Store
import SyncProtocol
import Testing

/// Phones of servers that are killed and restored from backups, and copied phones.
@Suite(.timeLimit(.minutes(60))) struct SyncFaultTests {
  @Test func `a server that is killed and restored, and a phone that is copied, lose and double nothing`()
    async throws
  {
    try await OwnServer.with { server in
      let faults: [SyncEvent.Kind] = [.crash, .backup, .crash, .restore, .clone]
      for seed: UInt64 in 1...5 {
        let first = Int(seed - 1)
        let history = SyncEvent.history(
          seed: seed,
          length: 60,
          phones: SyncWorld.phones.count,
          faults: Array(faults[first...] + faults[..<first])
        )
        let problems = try await SyncWorld.run(history, seed: seed, on: server).problems
        if !problems.isEmpty { SyncModelTests.report(seed, problems, history) }
      }
    }
  }

  @Test func `what three phones had acknowledged after a backup is there again after its restore, once`()
    async throws
  {
    try await OwnServer.with { server in
      let shop = try await Workshop.open(roles: SyncWorld.phones, in: await server.engine)
      let api = try await TestDevice.api(shop)
      var phones: [ModelPhone] = []
      for (index, name) in SyncWorld.phones.enumerated() {
        phones.append(try await .open(api, of: name, seed: UInt64(index)))
      }
      let fields: [String: FieldValue] = [
        "machine_id": .string(shop.machine.text), "category_id": .string(shop.category.text),
        "description": "leaks",
      ]
      /// Creates an entry on each phone, edits it, and synchronises.
      func work() async throws -> [UUID] {
        var made: [UUID] = []
        for phone in phones {
          let id = UUID()
          try await phone.client.make(SyncWorld.type, id, fields)
          try await phone.client.edit(SyncWorld.type, id, ["completion_note": .string(phone.name)])
          try await phone.client.move(SyncWorld.type, id, "start")
          #expect(await phone.sync() == nil)
          #expect(try await phone.client.unsynced == 0)
          made.append(id)
        }
        return made
      }
      let kept = try await work()
      try await server.backUp()
      let moved = try await TestDevice.api(shop.moved(to: await server.engine))
      for phone in phones { phone.handlers.use(moved) }
      let lost = try await work()

      try await server.restore()
      let restored = try await TestDevice.api(shop.moved(to: await server.engine))
      for phone in phones { phone.handlers.use(restored) }
      for phone in phones + phones { #expect(await phone.sync() == nil) }
      let entries = try await server.engine.superuser.rows(
        """
        select e.id, e.completion_note, e.status, (
          select count(*) from core.history h where h.company_id = e.company_id and h.record_id = e.id
        )
        from maintenance.entry e where e.company_id = \(shop.company.id)
        """,
        UUID.self,
        String.self,
        String.self,
        Int.self
      )
      #expect(Set(entries.map(\.0)) == Set(kept + lost) && entries.count == 6)
      #expect(entries.allSatisfy { $0.2 == "in_progress" && $0.3 == 3 }, "\(entries)")
      for phone in phones {
        let records = try await phone.client.all(SyncWorld.type)
        #expect(Set(records.map(\.id)) == Set(kept + lost))
        #expect(try await phone.client.changes.allSatisfy { $0.status == .synced })
        try phone.remove()
      }
    }
  }
}
