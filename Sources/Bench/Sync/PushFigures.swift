internal import FoundationEssentials

/// Measures pushes in batches of several sizes: beside inserts of the same batches into one table of JSON documents,
/// beside pgbench with the statements of the same push, and beside Kinto.
struct PushFigures {
  let world: SyncWorld
  let kinto: KintoServer?

  private static let devices = [1, 8]
  private static let sizes = [1, 25, 100, 500]
  /// The size of a batch whose statements are traced, and for which there are targets.
  private static let traced = 100

  private var plan: SyncPlan { world.plan }
  private var web: WebServer { world.web }

  func measure() async throws -> [SyncLine] {
    var lines: [SyncLine] = []
    let script = try await PushScript.make(world, size: Self.traced, devices: Self.devices.max() ?? 1)
    try await script.require(world, size: Self.traced)
    if plan.showsScripts { print("-- push of \(Self.traced)\n\(script.text)") }
    for devices in Self.devices {
      for size in Self.sizes {
        Report.progress("push in batches of \(size), \(devices == 1 ? "1 device" : "\(devices) devices")")
        do {
          lines += try await measure(
            size: size,
            devices: devices,
            script: size == Self.traced ? script : nil
          )
        } catch {
          Report.progress("failed: \(error)")
          lines.append(
            SyncLine(name: Self.name(size, devices), unit: "changes/s", ours: [], remark: SyncLine.failed)
          )
        }
      }
    }
    for mix in SyncPhone.Mix.allCases where mix != .creates {
      Report.progress("push of \(mix.rawValue)")
      lines += try await measure(mix)
    }
    return lines
  }

  /// Measures creations.
  private func measure(size: Int, devices: Int, script: PushScript?) async throws -> [SyncLine] {
    let runs = Counter()
    var peers = [
      SyncContest.Side(name: "pgbench, jsonb inserts") {
        try await world.rate(program: nil) {
          try Pgbench(world.server).run(
            script: Self.inserts,
            user: "postgres",
            clients: devices,
            seconds: plan.seconds,
            units: Double(size),
            variables: ["size": "\(size)", "document": Self.document(world.pushing)]
          )
        }
      }
    ]
    if let script {
      peers.append(
        SyncContest.Side(name: "pgbench, same statements", target: .ratioAtLeast(0.5)) {
          try await world.rate(program: nil) {
            try Pgbench(world.server).run(
              script: script.text,
              clients: devices,
              seconds: plan.seconds,
              units: Double(size),
              variables: script.variables(run: runs.next())
            )
          }
        }
      )
    }
    // Larger batches of several devices take Kinto minutes, because it refuses and repeats most of them.
    if let kinto, size <= Self.traced {
      let target: SyncLine.Target? = size == Self.traced ? .ratioAtLeast(100) : nil
      peers.append(
        SyncContest.Side(name: KintoServer.name, target: target) {
          try await world.rate(program: Int(kinto.process.pid)) {
            try await Callers.load(devices, seconds: Double(plan.seconds)) { _, end in
              let phone = KintoPhone(connection: try kinto.connection())
              var units = 0
              while ContinuousClock.now < end { units += try phone.push(size) }
              return units
            }
          }
        }
      )
    }
    let ours = try await side(Self.name(size, devices), .creates, size: size, devices: devices)
    return try await SyncContest(ours: ours, peers: peers)
      .run(
        rounds: plan.rounds,
        unit: "changes/s",
        absolute: size == Self.traced ? .atLeast(12_000) : nil
      )
  }

  private static func document(_ member: SyncMember) -> String {
    SyncPhone.creation(1, member.user, machine: member.machine, category: member.category)
      .replacing("test 1", with: "test #")
  }

  private static func name(_ size: Int, _ devices: Int) -> String {
    "push, batches of \(size), \(devices == 1 ? "1 device" : "\(devices) devices")"
  }

  /// Measures other changes than creations, with 8 devices.
  private func measure(_ mix: SyncPhone.Mix) async throws -> [SyncLine] {
    let ours = try await side(
      "push of \(mix.rawValue), batches of \(Self.traced), 8 devices",
      mix,
      size: Self.traced,
      devices: 8
    )
    return try await SyncContest(ours: ours, peers: []).run(rounds: plan.rounds, unit: "changes/s")
  }

  private func side(_ name: String, _ mix: SyncPhone.Mix, size: Int, devices: Int) async throws
    -> SyncContest.Side
  {
    let (member, phones) = (world.pushing, world.phones)
    if mix != .creates {
      _ = try await Callers.run(devices) { try phones[$0].fillPool(member.connection()) }
    }
    return SyncContest.Side(name: name) {
      try await world.rate(program: Int(web.process.pid)) {
        try await Callers.load(devices, seconds: Double(plan.seconds)) { caller, end in
          let connection = try member.connection()
          var units = 0
          while ContinuousClock.now < end { units += try phones[caller].push(size, mix, connection) }
          return units
        }
      }
    }
  }

  /// One batch of documents into one table without row-level security, history, feed and answers. Each row has a text of
  /// its own, which PostgreSQL reads as JSON.
  private static let inserts = """
    insert into bench.change (id, data)
    select gen_random_uuid(), replace(:document::text, '#', n::text)::jsonb from generate_series(1, :size) n;

    """
}
