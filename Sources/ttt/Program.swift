// SPDX-License-Identifier: MIT

import Glibc

@main
struct Program {
    static func main() {
        do throws(UsageError) {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            print(options)
        } catch {
            print(error.message)
            exit(ExitCode.usage.rawValue)
        }
    }
}
