package import Engine
package import Jobs

/// Trips: plans with their stops, the conversations in which they are planned, and share links.
package struct TripsApp: App {
  package let name = "trips"

  package var rules: AppRules {
    AppRules(records: ["trips.message": .tripMessage, "trips.plan_share": .tripPlanShare])
  }

  package func handlers(_ setup: HandlerSetup) -> [any JobHandler] { [PlanFinishHandler(setup.records)] }

  package func tasks(_ records: Records) -> [any ProgramTask] { [PlanGenerateTask(records)] }
}
