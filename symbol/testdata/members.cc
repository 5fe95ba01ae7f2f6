// Pointers to members: to a number, and to a function that returns one.
struct Variable {
	double scale;
	double ratio(int i) { return scale / i; }
};

extern "C" __attribute__((noinline)) double evaluate(Variable *v, double Variable::*factor, double (Variable::*call)(int), double (*plain)(int))
{
	return v->*factor * (v->*call)(2) + plain(3);
}

static double twice(int i) { return 2 * i; }

int main(int argc, char **)
{
	Variable v = {static_cast<double>(argc)};
	return static_cast<int>(evaluate(&v, &Variable::scale, &Variable::ratio, twice));
}
