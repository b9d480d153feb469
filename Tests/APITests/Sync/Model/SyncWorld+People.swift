import Domain
import Engine
import EngineFixtures
import FettleClient
import Store
import SyncProtocol
import TestDatabase
import TestTools

/// What people do beside their work: rights and sessions that change, decisions, and the end of a history.
extension SyncWorld {
  /// Gives the last phone's member another role: all entries, own entries, or none.
  mutating func changeRole(_ generator: inout SeededRandom) async throws {
    let name = ["user", "helper", "keeper"].randomElement(using: &generator) ?? "user"
    let operators = api.shop.engine.operators
    if name != "user", roles.insert(name).inserted {
      let own = [
        "maintenance.entry.read.own", "maintenance.entry.create", "maintenance.entry.update.own",
        "maintenance.entry.start",
      ]
      _ = try await Roles(operators).define(
        api.shop.operatorContext,
        name: name,
        label: name,
        from: nil,
        permissions: ["maintenance.machine.read"] + (name == "helper" ? own : [])
      )
    }
    let member = phones[phones.count - 1].member
    _ = try await Members(operators).setRole(api.shop.operatorContext, member: member.email, role: name)
  }

  /// Suspends the second phone's member, whose session ends, or reinstates the member.
  mutating func changeSession() async throws {
    let isOut = !phones[1].isOut
    phones[1].isOut = isOut
    phones[1].handlers.end(isOut)
    _ = try await Members(api.shop.engine.operators).setStatus(
      api.shop.operatorContext,
      member: phones[1].member.email,
      status: isOut ? .suspended : .active
    )
    if !isOut { try await phones[1].reopen() }
  }

  /// Decides about everything that waits for the person.
  func decide(_ index: Int, _ generator: inout SeededRandom) async throws {
    let client = phones[index].client
    for change in try await client.conflicts where change.decision == nil {
      let take = SyncResolution.allCases.randomElement(using: &generator) ?? .server
      try await client.resolve(change.id, taking: take)
    }
    for change in try await client.failed where change.decision == nil {
      if Bool.random(using: &generator) {
        try await client.retry(change.id)
      } else {
        try await client.resolve(change.id, taking: .discard)
      }
    }
    for item in try await client.waiting where item.needsDecision {
      guard case .file(let file) = item.id else { continue }
      if Bool.random(using: &generator) {
        try await client.retryFile(file)
      } else {
        try await client.discardFile(file)
      }
    }
  }

  /// Lets every phone decide and synchronise, without faults, until nothing waits.
  mutating func settle(seed: UInt64) async throws {
    if phones[1].isOut { try await changeSession() }
    var generator = SeededRandom(seed: seed &+ 1_000_000)
    for round in 0..<60 {
      var isDone = true
      for index in phones.indices {
        try await decide(index, &generator)
        // A refusal that is retried again and again is refused again and again.
        if round > 10 { try await giveUp(phones[index].client) }
        try await sync(index)
        guard problems.isEmpty else { return }
        if try await phones[index].client.unsynced > 0 { isDone = false }
      }
      if isDone { break }
    }
    for index in phones.indices {
      let waiting = try await phones[index].client.changes.filter { $0.status.isOpen }
      // A photo whose change was given up is given up too.
      if try await phones[index].client.unsynced > waiting.count {
        problems.append("\(phones[index].name): a photo still waits after everything is sent")
      }
      if !waiting.isEmpty { problems.append("\(phones[index].name): never settled: \(waiting)") }
      try await sync(index)
    }
  }

  private func giveUp(_ client: any PhoneClient) async throws {
    for change in try await client.conflicts + client.failed {
      try await client.resolve(change.id, taking: .discard)
    }
    for item in try await client.waiting where item.needsDecision {
      if case .file(let file) = item.id { try await client.discardFile(file) }
    }
  }
}
