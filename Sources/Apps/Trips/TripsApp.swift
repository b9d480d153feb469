internal import API
internal import ArgumentParser
internal import CoreCommands
internal import Demo
internal import Engine
internal import Jobs

/// Trips: plans with their stops, the conversations in which they are planned, and share links.
struct TripsApp: App {
  let name = "trips"

  var rules: AppRules {
    AppRules(records: ["trips.message": .tripMessage, "trips.plan_share": .tripPlanShare])
  }

  var commands: [any ParsableCommand.Type] { [TripCommand.self] }

  var demo: (any AppDemo)? { TripsDemo() }

  func routes(_ records: Records, _ services: Services) -> [Route] { ShareRoutes(services, records).routes }

  func handlers(_ setup: HandlerSetup) -> [any JobHandler] { [PlanFinishHandler(setup.records)] }

  func tasks(_ records: Records) -> [any ProgramTask] { [PlanGenerateTask(records)] }
}
