/// What a file wants a company to be, or what the database says it is: one form for both, so that comparing them
/// and exporting need no second one.
///
/// A section that is nil is one that a file does not speak of, and that therefore stays as it is.
///
/// ```yaml
/// companies:
///   acme:
///     name: Acme AB
///     kind: business
///     timezone: Europe/Stockholm
///     roles:
///       foreman:
///         label: Foreman
///         permissions: [maintenance.entry.read, maintenance.entry.reopen]
///     members:
///       eva@acme.example: { name: Eva Lindqvist, role: owner }
///     invites:
///       - { role: user, uses: 5, days: 30 }
///     webhooks:
///       - { url: https://hooks.example/fettle, events: [maintenance.entry.completed], secret: 'file:hook.key' }
///     entitlements: [pro, { name: pro, member: ana@acme.example, until: '2027-01-01T00:00:00Z' }]
///     schedules:
///       history.seal: { paused: false }
///     overlays:
///       - overlay: maintenance.entry@1
///         tighten: { transitions: { complete: { require: { comment: { min: 10 } } } } }
///     machines:
///       RM-001: { name: Line marker }
///     categories:
///       - Hydraulics
///       - { name: Boom, machine: RM-001 }
///     records:
///       maintenance.meter:
///         - { name: Oil, machine: RM-001, unit: h }
/// ```
package struct CompanyState: Sendable, Hashable {
  /// The short name, by which file and database mean the same company.
  package let slug: String
  /// What people read.
  package var name: String?
  /// What the company is for; chosen once.
  package var kind: CompanyKind?
  /// The zone that decides what day it is.
  package var timeZone: String?
  /// Where the company is in its life.
  package var status: CompanyStatus?
  /// The roles of its own.
  package var roles: [RoleState]?
  /// Its people, removed ones left out.
  package var members: [MemberState]?
  /// The invites that can still be redeemed.
  package var invites: [InviteState]?
  /// The addresses that are told of events.
  package var webhooks: [WebhookState]?
  /// What it, or a member, is entitled to beyond what everybody is.
  package var entitlements: [EntitlementState]?
  /// What it does at certain times, and whether that is paused.
  package var schedules: [ScheduleState]?
  /// What it asks beyond the workflows of the apps.
  package var overlays: [OverlayState]?
  /// Records by type.
  package var records: [RecordSection]

  /// A company of which nothing is said yet.
  package init(slug: String) {
    self.slug = slug
    records = []
  }

  /// The sections that are records under a name of their own.
  package static let namedSections: KeyValuePairs = [
    "machines": "maintenance.machine", "categories": "maintenance.category",
  ]
}

/// A role of a company's own.
package struct RoleState: Sendable, Hashable {
  /// The name by which members and invites refer to it.
  package let name: String
  /// What people read.
  package let label: String?
  /// The permissions, sorted, without those that a wider one contains.
  package let permissions: [String]
  /// Whether a member, past ones included, or an invite refers to it, so that it can be emptied only.
  package let isReferred: Bool

  /// Puts a role together; of `x` and `x.own` the wider stays.
  package init(name: String, label: String?, permissions: [String], isReferred: Bool = false) {
    self.name = name
    self.label = label
    let given = Set(permissions)
    self.permissions = given.filter { !$0.hasSuffix(".own") || !given.contains(String($0.dropLast(4))) }
      .sorted()
    self.isReferred = isReferred
  }
}

/// Somebody's place in a company, under their e-mail address.
package struct MemberState: Sendable, Hashable {
  /// The address as written.
  package let email: String
  /// What they are called when the address is new here; somebody known keeps the name they gave themselves.
  package let name: String?
  /// Their role; nil in a file that does not say.
  package let role: String?
  /// Active or suspended; nil in a file that does not say.
  package let status: MemberStatus?

  /// Puts a place together.
  package init(email: String, name: String?, role: String?, status: MemberStatus?) {
    self.email = email
    self.name = name
    self.role = role
    self.status = status
  }

  /// What addresses are compared by.
  package var key: String { email.lowercased() }
}

/// What an invite lets people do; never its code.
package struct InviteState: Sendable, Hashable {
  /// The role that a redeemer gets.
  package let role: String
  /// How many people may redeem it.
  package let uses: Int
  /// For how many days from its making.
  package let days: Int
  /// The one address that may redeem it; nil for anyone with the code.
  package let email: String?
  /// Which one it is in the database; nil in a file.
  package let id: String?

  /// Puts a policy together.
  package init(role: String, uses: Int, days: Int, email: String?, id: String? = nil) {
    self.role = role
    self.uses = uses
    self.days = days
    self.email = email?.lowercased()
    self.id = id
  }

  /// The policy without the invite that follows it, to be compared with others.
  package var policy: InviteState { InviteState(role: role, uses: uses, days: days, email: email) }
}

/// An address that is told of events.
package struct WebhookState: Sendable, Hashable {
  /// Where to; one entry an address.
  package let url: String
  /// The events, sorted.
  package let events: [String]
  /// Whether anything is sent.
  package let isActive: Bool
  /// Where the secret of a new one comes from; nil for one that is made up and shown once.
  package let secret: SecretReference?
  /// Which one it is in the database; nil in a file.
  package let id: String?

  /// Puts a webhook together.
  package init(
    url: String,
    events: [String],
    isActive: Bool = true,
    secret: SecretReference? = nil,
    id: String? = nil
  ) {
    self.url = url
    self.events = Set(events).sorted()
    self.isActive = isActive
    self.secret = secret
    self.id = id
  }
}
