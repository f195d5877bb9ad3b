@main enum P { static func main() {} }
