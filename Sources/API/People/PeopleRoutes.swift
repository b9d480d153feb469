package import Engine

/// The routes of people and their company: members, invites, roles, settings, audit, inbox.
package struct PeopleRoutes: Sendable {
  package let routes: [Route]

  package init(_ services: Services, about: AboutSettings) {
    routes =
      MemberRoutes(services).routes + InviteRoutes(services).routes + RoleRoutes(services).routes
      + CompanyRoutes(services).routes + InboxRoutes(services).routes + AboutRoutes(services, about).routes
  }
}
