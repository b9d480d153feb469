internal import Domain
package import Engine
internal import Store

/// The demo company `demo`, with people and the records that the apps create for it.
package struct DemoCompany: Sendable {
  private let services: Services
  private let demos: [any AppDemo]

  package init(_ services: Services, _ demos: [any AppDemo]) {
    self.services = services
    self.demos = demos
  }

  /// Creates the company `demo`, or completes it after an interrupted load.
  package func load(operatorName: String) async throws {
    let companies = Companies(services)
    let installed = try await InstalledApps(services).list().map(\.name)
    let used = demos.filter { installed.contains($0.app) }
    var company = try await companies.list().first { $0.slug == "demo" }
    if company == nil {
      company = try await companies.create(
        slug: "demo",
        name: "Nordic Road Marking (demo)",
        kind: .demo,
        timeZone: "Europe/Stockholm",
        apps: installed.filter { app in used.contains { $0.app == app } },
        owner: (email: "eva@demo.example", name: "Eva Lindqvist"),
        actor: .operator(operatorName)
      ).company
    }
    guard let company else { return }
    let records = try await Records.open(services)
    let stage = try await DemoStage(
      services,
      records,
      company,
      actor: .operator(operatorName),
      operatorName: operatorName
    )
    let members = Members(services)
    let present = Set(try await members.list(stage.acting).map(\.email))
    for (email, name, role) in Self.people where !present.contains(email) {
      _ = try await members.add(stage.acting, email: email, name: name, role: role)
    }
    try await services.rules.createStartingRecords(in: stage.acting, services, records)
    for demo in used { try await demo.create(stage) }
    try await DemoGuest(services, records, used).load(company)
  }

  private static let people = [
    ("ana@demo.example", "Ana Berg", "user"), ("olle@demo.example", "Olle Åström", "admin"),
    ("vera@demo.example", "Vera Holm", "viewer"),
  ]
}
