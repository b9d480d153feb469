internal import Postgres
internal import Store

/// Measures the first pull of a device that keeps work that is done for 90 days, beside one of everything, in a company
/// with much old work.
struct WindowFigures {
  let plan: Plan
  let web: WebServer
  let done: Int
  let open: Int

  private static let company = 3
  private static let days = 90

  func measure() async throws -> [Line] {
    try await Fixture.fill(plan.server, [(Self.company...Self.company, done + open)])
    let authorization = try await plan.server.withConnection { superuser in
      // Completed half a year ago. Triggers would ask for the transitions.
      try await superuser.transaction { tx in
        try tx.execute("set local session_replication_role = replica")
        try tx.execute(
          """
          update maintenance.entry
          set status = 'completed', status_category = 'done', started_at = reported_on, completed_at = reported_on,
            updated_at = now() - interval '180 days'
          where company_id = \(Fixture.id(Self.company)) and id > \(Fixture.entry(open, of: Self.company))
          """
        )
        return try Fixture.session(in: Fixture.id(Self.company), tx)
      }
    }
    _ = try await plan.server.withConnection { try await $0.execute("vacuum (analyze) maintenance.entry") }
    let member = SyncMember(web: web, company: Self.company, authorization: authorization)
    let names = ("first pull of \(open) open entries", "with \(done) done ones")
    let (seconds, megabytes) = (
      try pulls(member, names) { seconds, _ in seconds }, try pulls(member, names) { $1 }
    )
    return try await plan.contest("s", seconds.0, beside: [seconds.1])
      + plan.contest("MB", megabytes.0, beside: [megabytes.1])
  }

  /// Returns two sides, for a device with a window and for one without, that measure a figure of their first pulls.
  private func pulls(
    _ member: SyncMember,
    _ names: (String, String),
    _ figure: @escaping @Sendable (_ seconds: Double, _ megabytes: Double) -> Double
  ) throws -> (Side, Side) {
    func side(_ name: String, _ days: Int?, _ least: Int) -> Side {
      Side.value(name) {
        let phone = try await SyncPhone.register(1, of: member, doneDays: days)[0]
        let start = ContinuousClock.now
        let (count, bytes) = try await Load.thread {
          var bytes = 0
          let count = try SyncReader(phone.id, member.connection()).pull { bytes += $0.count }
          return (count, bytes)
        }
        guard count >= least, days == nil || count < least + 1_000 else {
          throw Failure("\(count) records were pulled, not about \(least)")
        }
        return figure((ContinuousClock.now - start) / .seconds(1), Double(bytes) / 1_000_000)
      }
    }
    return (side(names.0, Self.days, open), side(names.1, nil, open + done))
  }
}
