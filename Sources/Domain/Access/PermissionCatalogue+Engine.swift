extension PermissionCatalogue {
  /// The permissions about companies, people and the engine itself.
  package static let engine: [Entry] = [
    entry("company.read", "See the company's settings"),
    entry("company.update", "Change the company's name, time zone and settings"),
    entry("company.export", "Export the company's configuration as a file"),
    entry("company.archive", "Archive the company", isGrantable: false),
    entry("company.transfer", "Hand the company over to another owner", isGrantable: false),
    entry("member.read", "See who belongs to the company"),
    entry("member.update", "Change the role, name and e-mail address of members"),
    entry("member.suspend", "Suspend and reinstate members"),
    entry("member.remove", "Remove members"),
    entry("invite.read", "See invite codes and their status"),
    entry("invite.create", "Invite people"),
    entry("invite.revoke", "Revoke invite codes"),
    entry("role.read", "See roles and what they allow"),
    entry("role.create", "Create custom roles"),
    entry("role.update", "Change custom roles"),
    entry("role.delete", "Delete custom roles"),
    entry("workflow.read", "See workflows"),
    entry("workflow.activate", "Activate a version of a workflow, or install an own one"),
    entry("workflow.overlay", "Tighten a workflow for the company"),
    entry("job.read", "See jobs and their logs"),
    entry("job.retry", "Retry jobs"),
    entry("job.cancel", "Cancel and discard jobs"),
    entry("job.enqueue", "Enqueue jobs"),
    entry("report.read", "Read reports"),
    entry("webhook.read", "See webhooks and their deliveries"),
    entry("webhook.update", "Add, change, test and remove webhooks"),
    entry("comment.create", "For API tokens: comment on and watch readable records"),
    entry("inbox.read", "For API tokens: read one's own notices and preferences"),
    entry("inbox.update", "For API tokens: mark one's own notices as read, choose preferences"),
    entry("audit.read", "See changes to people, roles and settings"),
    entry("token.read", "See all API tokens of the company"),
    entry("token.read.own", "See one's own API tokens"),
    entry("token.create", "Create API tokens for oneself"),
    entry("token.revoke", "Revoke any API token"),
    entry("token.revoke.own", "Revoke one's own API tokens"),
  ]

  private static func entry(_ name: String, _ summary: String, isGrantable: Bool = true) -> Entry {
    Entry(permission: Permission(trusted: name), isGrantable: isGrantable, summary: summary)
  }
}
