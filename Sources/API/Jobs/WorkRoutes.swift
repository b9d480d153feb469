package import Engine

/// The routes of jobs, schedules, workflows, reports and webhooks.
package struct WorkRoutes: Sendable {
  package let routes: [Route]

  /// - Parameters:
  ///   - reports: the services of reports, with a database of their own; nil to use the same.
  ///   - allowsPrivateWebhooks: true if the workers deliver webhooks to private networks.
  package init(_ services: Services, reports: Services? = nil, allowsPrivateWebhooks: Bool = false) {
    routes =
      JobRoutes(services).routes + ScheduleRoutes(services).routes + WorkflowRoutes(services).routes
      + ReportRoutes(reports ?? services).routes
      + WebhookRoutes(services, allowsPrivate: allowsPrivateWebhooks).routes
  }
}
