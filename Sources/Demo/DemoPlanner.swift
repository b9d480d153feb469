internal import FoundationEssentials

/// Plans companies, members and amounts of data before anything is written.
struct DemoPlanner {
  let series: DemoSeries
  let figures: DemoScale.Figures
  /// The sizes of the companies.
  let sizes: DemoSizes
  /// The random number generator for names and time zones. It continues after the numbers for the sizes.
  private let random: DemoRandom

  init(series: DemoSeries, figures: DemoScale.Figures) {
    var random = DemoRandom(series, "companies")
    self.series = series
    self.figures = figures
    sizes = DemoSizes(
      sizes: (0..<figures.companies).map { _ in min(400, random.logNormal(median: 8, spread: 0.7)) }
    )
    self.random = random
  }

  private var ids: DemoIDs { DemoIDs(series: series) }

  /// Returns all companies with their members.
  func tenants() -> [DemoTenant] {
    var random = random
    let homes = sizes.deal(figures.users, least: 1)
    let (invites, jobs) = (sizes.deal(figures.invites), sizes.deal(figures.jobs))
    var firstUser = 0
    let extras = extraMembers(homes)
    return homes.indices.map { index in
      defer { firstUser += homes[index] }
      let name = DemoWords.company(&random, index)
      let slug = "\(DemoWords.slug(name))-\(series)-\(index + 1)"
      return DemoTenant(
        index: index,
        id: ids.id("company", index),
        slug: slug,
        name: name,
        kind: index % 3 == 2 ? "household" : "business",
        timeZone: zone(&random, index),
        members: members(index, Array(firstUser..<firstUser + homes[index]), extras[index] ?? []),
        invites: invites[index],
        jobs: jobs[index]
      )
    }
  }

  /// Returns the users with a second membership by the index of that company.
  private func extraMembers(_ homes: [Int]) -> [Int: [Int]] {
    let count = figures.memberships - figures.users
    guard figures.companies > 1 else { return [:] }
    var random = DemoRandom(series, "extras")
    let company = homes.enumerated().flatMap { index, size in Array(repeating: index, count: size) }
    var extras: [Int: [Int]] = [:]
    for extra in 0..<count {
      let user = extra * figures.users / count
      let other = (company[user] + random.int(1...(figures.companies - 1))) % figures.companies
      extras[other, default: []].append(user)
    }
    return extras
  }

  private func members(_ index: Int, _ own: [Int], _ others: [Int]) -> [DemoTenant.Member] {
    var random = DemoRandom(series, "members", index)
    return (own + others).enumerated().map { place, user in
      let name = DemoWords.person(series, user)
      let role: String =
        place == 0
        ? "owner" : random.pick([("admin", 0.08), ("viewer", 0.05), ("user", 0.87)] as [(String, Double)])
      let isRemoved = place > 1 && random.chance(0.04)
      return DemoTenant.Member(
        id: ids.id("user", user),
        email: "\(DemoWords.slug(name)).\(series).\(user + 1)@demo.example",
        name: name,
        role: role,
        isActive: !isRemoved
      )
    }
  }

  /// Returns a time zone: 60 % Europe, 25 % America, 10 % Asia (some with half- and quarter-hour offsets), 5
  /// % UTC.
  private func zone(_ random: inout DemoRandom, _ index: Int) -> String {
    let place: [String] = random.pick([
      (["Europe/Stockholm", "Europe/Berlin", "Europe/Helsinki", "Europe/Lisbon"], 0.60),
      (["America/New_York", "America/Chicago", "America/Sao_Paulo"], 0.25),
      (["Asia/Kolkata", "Asia/Kathmandu", "Asia/Tokyo"], 0.10), (["UTC"], 0.05),
    ])
    return place[index % place.count]
  }
}
