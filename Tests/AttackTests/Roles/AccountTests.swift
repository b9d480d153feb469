import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Secrets
import Store
import Testing

/// Accounts of other people, reached by typing their email addresses.
@Suite struct AccountTests {
  /// The services with keys, which invites need.
  private func services(of shop: Workshop) -> Services {
    let keys = Keys.random()
    return Services(database: shop.engine.services.database, rules: shop.engine.services.rules) { keys }
  }

  @Test func `an invite code does not hand out the account of a typed address`() async throws {
    let (shop, other) = (try await Workshop.open(), try await Workshop.open())
    let invites = Invites(services(of: shop))
    let victim = try #require(other.members["owner"])
    let code = try await invites.create(shop.acting("owner"), role: "viewer", uses: 3).code
    func redeem(_ email: String, _ proof: AddressProof) async throws -> UUID {
      try await invites.redeem(code: code, email: email, name: "Mallory", source: victim.email, proof: proof)
        .user
    }
    for proof in [AddressProof.none, .signedIn(try #require(shop.members["viewer"]?.userID))] {
      let error = try await refused { _ = try await redeem(victim.email, proof) }
      #expect(error.code == .inviteRefused)
    }
    #expect(try await redeem(victim.email, .signedIn(victim.userID)) == victim.userID)
    _ = try await redeem("new-\(victim.email)", .none)
    // The refused attempts kept their uses.
    #expect(try await invites.list(shop.acting("owner")).map(\.invite.used) == [2])
  }

  @Test func `a member cannot make a stranger a member by typing an address`() async throws {
    let (shop, other) = (try await Workshop.open(), try await Workshop.open())
    let members = Members(shop.engine.services)
    let victim = try #require(other.members["owner"])
    // The answer does not tell whether the address has an account.
    var answers: Set<String> = []
    for email in [victim.email, "nobody-\(victim.email)"] {
      let error = try await refused {
        _ = try await members.add(shop.acting("owner"), email: email, name: "Victim", role: "viewer")
      }
      #expect(error.code == .forbidden)
      answers.insert("\(error)")
    }
    #expect(answers.count == 1)
    // A former member comes back.
    let viewer = try #require(shop.members["viewer"])
    try await members.setStatus(shop.acting("owner"), member: "viewer", status: .removed)
    let back = try await members.add(
      shop.acting("owner"),
      email: viewer.email,
      name: viewer.name,
      role: "viewer"
    )
    #expect(back.userID == viewer.userID && back.status == .active)
  }
}
