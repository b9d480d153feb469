/// The configuration of a company, as a file describes it or as the database stores it.
///
/// A section that is nil is missing from the file, and applying the file does not change it.
///
/// ```yaml
/// companies:
///   acme:
///     name: Acme AB
///     kind: business
///     timezone: Europe/Stockholm
///     apps: [maintenance, inventory]
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
///     quotas: { maintenance.entry: 100000, '*': 500000 }
///     queue_limits: [{ kind: webhook.deliver, running: 4, rate: 100/minute }]
///     workflows: { maintenance.entry: 2 }
///     numbers: { maintenance.entry: 'SRV-{n}' }
///     settings: { maintenance.overlapping_hours: warn }
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
  /// The slug, which identifies the company in the file and in the database.
  package let slug: String
  /// The display name.
  package var name: String?
  /// The kind of the company; it cannot be changed later.
  package var kind: CompanyKind?
  /// The time zone that determines the company's days.
  package var timeZone: String?
  /// The status of the company.
  package var status: CompanyStatus?
  /// The apps that the company uses.
  package var apps: AppChoiceState?
  /// The custom roles.
  package var roles: [RoleState]?
  /// The members, except removed ones.
  package var members: [MemberState]?
  /// The invites that can still be redeemed.
  package var invites: [InviteState]?
  /// The webhooks.
  package var webhooks: [WebhookState]?
  /// The entitlements of the company and of its members.
  package var entitlements: [EntitlementState]?
  /// The quotas.
  package var quotas: [QuotaState]?
  /// The limits on the company's jobs.
  package var queueLimits: [QueueLimitState]?
  /// The workflow versions that the company uses.
  package var workflows: [WorkflowChoiceState]?
  /// The number formats that the company has chosen.
  package var numbers: [NumberFormatState]?
  /// The settings of the apps.
  package var settings: [SettingState]?
  /// The schedules of the apps, paused or not.
  package var schedules: [ScheduleState]?
  /// The overlays on the workflows of the apps.
  package var overlays: [OverlayState]?
  /// The records, in sections by type.
  package var records: [RecordSection]

  /// Creates a company without any section.
  package init(slug: String) {
    self.slug = slug
    records = []
  }
}

/// A custom role of a company.
package struct RoleState: Sendable, Hashable {
  /// The name by which members and invites refer to the role.
  package let name: String
  /// The display name.
  package let label: String?
  /// The permissions, sorted; `x.own` is left out if `x` is present.
  package let permissions: [String]
  /// True if an invite or a member, also a past one, refers to the role. It then cannot be deleted, and loses
  /// its permissions instead.
  package let isReferred: Bool

  /// Creates a role; `x.own` is left out if `x` is present.
  package init(name: String, label: String?, permissions: [String], isReferred: Bool = false) {
    self.name = name
    self.label = label
    let given = Set(permissions)
    self.permissions = given.filter { !$0.hasSuffix(".own") || !given.contains(String($0.dropLast(4))) }
      .sorted()
    self.isReferred = isReferred
  }
}

/// A member of a company, identified by e-mail address.
package struct MemberState: Sendable, Hashable {
  /// The e-mail address as written.
  package let email: String
  /// The person's name, the same in all companies; nil if the file gives none.
  package let name: String?
  /// The role; nil if the file gives none.
  package let role: String?
  /// The status, active or suspended; nil if the file gives none.
  package let status: MemberStatus?

  package init(email: String, name: String?, role: String?, status: MemberStatus?) {
    self.email = email
    self.name = name
    self.role = role
    self.status = status
  }

  /// The e-mail address in lower case, by which members are compared.
  package var key: String { email.lowercased() }
}

/// The terms of an invite, without its code.
package struct InviteState: Sendable, Hashable {
  /// The role of a person who redeems the invite.
  package let role: String
  /// The number of people who may redeem the invite, 1 to 1,000.
  package let uses: Int
  /// The days from creation to expiry, 1 to 365.
  package let days: Int
  /// The only e-mail address that may redeem the invite; nil for any.
  package let email: String?
  /// The id in the database; nil in a file.
  package let id: String?

  package init(role: String, uses: Int, days: Int, email: String?, id: String? = nil) {
    self.role = role
    self.uses = uses
    self.days = days
    self.email = email?.lowercased()
    self.id = id
  }

  /// The terms without the id, for comparison.
  package var policy: InviteState { InviteState(role: role, uses: uses, days: days, email: email) }
}

/// A webhook: a URL and the events that are sent to it.
package struct WebhookState: Sendable, Hashable {
  /// The URL; several webhooks may have the same one.
  package let url: String
  /// The names of the events, sorted, without duplicates.
  package let events: [String]
  /// True if events are sent.
  package let isActive: Bool
  /// The source of the secret of a new webhook; nil to generate a secret and show it once.
  package let secret: SecretReference?
  /// The id in the database; nil in a file.
  package let id: String?

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

  /// True if both webhooks send the same events to the same URL, and both or neither are active.
  func isSame(as other: WebhookState) -> Bool {
    url == other.url && events == other.events && isActive == other.isActive
  }
}
